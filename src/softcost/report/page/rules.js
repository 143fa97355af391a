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

const rules = {
  cost: (table) => leastRow(table, [...table.cost.keys()], table.cost),
  // If no candidate is within the budget, the candidate with the fewest errors.
  constrained: (table, maxError) => {
    const all = [...table.cost.keys()];
    const excess = table.error.map((value) => value - maxError);
    const within = all.filter((i) => excess[i] <= 0);
    return within.length
      ? leastRow(table, within, table.cost, excess)
      : leastRow(table, all, excess, table.cost);
  },
};
