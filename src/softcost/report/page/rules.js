// The rules of softcost.search that the page offers, by their criterion. They break ties
// like Python's: tests/report/test_page_rules.py compares them.
// A table has the columns softness, cost and error, with one value per candidate.

// The candidate with the smallest keys in lexicographic order, then the largest softness,
// then the first; keys within a relative 1e-12 tie.
function leastRow(table, candidates, ...keys) {
  let left = candidates;
  for (const key of [...keys, table.softness.map((value) => -value)]) {
    const best = Math.min(...left.map((i) => key[i]));
    left = left.filter((i) => key[i] <= best + 1e-12 * Math.abs(best));
  }
  return left[0];
}

// With "auto" a table also has the columns family and penalty, and the rules prefer the
// blend, as softcost.search.preference does.
const isBlend = (table, i) => table.family[i] === "blend" && Number.isFinite(table.cost[i]);
const penalised = (table) => table.cost.map((value, i) => value + (table.penalty ? table.penalty[i] : 0));

// The blend, candidates with a clear lead over its lowest softness, and candidates of the
// same families that are no worse than one of those.
function shortlist(table) {
  const all = [...table.cost.keys()];
  const blend = table.penalty ? all.filter((i) => isBlend(table, i)) : [];
  if (!blend.length) return all;
  const lowest = Math.min(...blend.map((i) => table.softness[i]));
  const reference = blend.find((i) => table.softness[i] === lowest);
  const key = penalised(table);
  const clear = all.filter((i) => key[i] < key[reference] && !isBlend(table, i));
  return all.filter((i) => isBlend(table, i) || clear.some((j) => table.family[i] === table.family[j]
    && (i === j || (table.cost[i] <= table.cost[j] && table.error[i] <= table.error[j]))));
}

// The row, or a row of the pool that dominates or equals it, with the least key.
function undominated(table, row, pool, key) {
  const near = (value) => value + 1e-12 * Math.abs(value);
  const below = (value) => value - 1e-12 * Math.abs(value);
  const noWorse = (j, i) => table.cost[j] <= near(table.cost[i]) && table.error[j] <= near(table.error[i]);
  const better = (j, i) => table.cost[j] < below(table.cost[i]) || table.error[j] < below(table.error[i]);
  const rows = pool.filter((j) => noWorse(j, row));
  const front = rows.filter((i) => !rows.some((j) => noWorse(j, i) && better(j, i)));
  return leastRow(table, front, key);
}

function leastWithin(table, within, ...keys) {
  const listed = shortlist(table), both = within.filter((i) => listed.includes(i));
  let pool = both.length ? both : within;
  const row = leastRow(table, pool, ...keys);
  if (!table.penalty) return row;
  if (!listed.includes(row)) pool = pool.filter((i) => table.family[i] === table.family[row]);
  return undominated(table, row, pool, penalised(table));
}

const rules = {
  cost: (table) => leastWithin(table, [...table.cost.keys()], penalised(table)),
  // If no candidate is within the budget, the candidate with the fewest errors.
  constrained: (table, maxError) => {
    const excess = table.error.map((value) => value - maxError);
    const within = [...table.cost.keys()].filter((i) => excess[i] <= 0);
    if (!within.length) return leastRow(table, shortlist(table), excess, penalised(table));
    const free = table.penalty ? rules.cost(table) : null;
    return within.includes(free) ? free : leastWithin(table, within, penalised(table), excess);
  },
};
