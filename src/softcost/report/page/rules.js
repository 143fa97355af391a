// The rules that the page offers: those of softcost.selection, with the same ties.
// A table has the columns softness, cost and error, one value per candidate.

// Candidates with the least keys in turn, then the largest softness, then the first.
function leastRow(table, candidates, ...keys) {
  let left = candidates;
  for (const key of [...keys, table.softness.map((value) => -value)]) {
    const best = Math.min(...left.map((i) => key[i]));
    left = left.filter((i) => key[i] <= best + 1e-12 * Math.abs(best));
  }
  return left[0];
}

const rules = {
  LeastCost: (table) => leastRow(table, [...table.cost.keys()], table.cost),
  // Where no candidate is within the budget, the one with the fewest errors.
  Budget: (table, budget) => {
    const all = [...table.cost.keys()];
    const within = all.filter((i) => table.error[i] <= budget);
    return within.length
      ? leastRow(table, within, table.cost, table.error)
      : leastRow(table, all, table.error, table.cost);
  },
};

