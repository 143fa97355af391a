// The data of the page, and pure functions of them.
const data = JSON.parse(document.getElementById("softcost-data").textContent);
const K = data.classes.length;
const A = data.answers.length; // the classes, and then actions

function column(name) {
  const found = data.columns.find((one) => one[0] === name);
  return found ? found[1] : null;
}

// Integers that report/explorer.py wrote as text, in digits of base 32.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGITS = new Map([...ALPHABET].map((sign, digit) => [sign, digit]));
function numbersOf(text) {
  const numbers = [];
  let sum = 0, factor = 1;
  for (const sign of text) {
    const digit = DIGITS.get(sign);
    sum += (digit % 32) * factor;
    factor *= 32;
    if (digit >= 32) continue;
    numbers.push(sum % 2 ? -(sum - 1) / 2 : sum / 2);
    [sum, factor] = [0, 1];
  }
  return numbers;
}

const softness = column("softness");
const error = column(data.error);
const errorSe = column(data.error + "_se") || error.map(() => null);
const trainedCost = column("cost");
const trainedCostSe = column("cost_se") || error.map(() => null);
const N = softness.length;
const originalPrices = Array.isArray(data.prices) ? data.prices.flat() : numbersOf(data.prices.text).map((number) => number / 10 ** data.prices.decimals);
const errorWord = data.error === "error" ? "errors" : "weighted errors";

// Confusion matrices, one flat K x A array per candidate; -n stands for n - 1 zeros and a
// one, or the count that follows.
const unpacked = (unit) => (packed) => {
  const counts = new Float64Array(K * A);
  let cell = -1, isOpen = false;
  for (const value of numbersOf(packed)) {
    if (value < 0) counts[cell -= value] = unit;
    else counts[isOpen ? cell : ++cell] = value * unit;
    isOpen = value < 0;
  }
  return counts;
};
const confusion = data.cells.map(unpacked(data.unit));
const testConfusion = data.test && data.test.cells && data.test.cells.map(unpacked(data.test.unit));
// Realised cost by true class and answer, if every row has its own prices.
const paidCells = data.realisedCost && data.realisedCost.map((values, i) => {
  let next = 0;
  return confusion[i].map((n) => (n > 0 ? values[next++] : 0));
});
const totals = confusion.map((counts) => counts.reduce((sum, value) => sum + value, 0));

// Sorted names are shown in natural order: 2 before 10. Actions follow the classes.
const sorted = data.classes.every((name, k) => k === 0 || data.classes[k - 1] <= name);
const counting = new Intl.Collator("en", { numeric: true });
const classOrder = [...data.classes.keys()];
if (sorted) classOrder.sort((a, b) => counting.compare(data.classes[a], data.classes[b]) || a - b);
const answerOrder = [...classOrder, ...[...data.answers.keys()].slice(K)];

const softnessValues = [...new Set(softness)].sort((a, b) => a - b);

// Families, if there are several. A family has no values for parameters of the others.
const familyOf = column("family");
const families = familyOf ? [...new Set(familyOf)] : [];

// Settings of the learner that occur, in the order of the table.
const settingOf = softness.map((_, i) => [
  ...(familyOf ? [familyOf[i]] : []),
  ...data.params.filter((name) => !familyOf || column(name)[i] !== null).map((name) => name.split("__").pop() + " = " + show(column(name)[i])),
].join(", "));
const settings = [...new Set(settingOf)];

// Cost of every candidate at other prices. The change is added to the measured cost, so
// costs by example stay exact.
function costsAt(prices) {
  const changed = [];
  for (let cell = 0; cell < K * A; cell++) {
    if (prices[cell] !== originalPrices[cell]) changed.push(cell);
  }
  return trainedCost.map((cost, i) => {
    let more = 0;
    for (const cell of changed) more += confusion[i][cell] * (prices[cell] - originalPrices[cell]);
    return cost + more / totals[i];
  });
}

// Rows of the families that are switched on.
const isShown = (i) => !familyOf || !state.hidden.has(familyOf[i]);
const shownRows = () => softness.map((_, i) => i).filter(isShown);

// Rows to draw: the front, the marked models and the selection, or all on demand.
const isDrawn = (i) => isShown(i) && (state.every || state.front[i] || isMarked(i) || i === state.index);
const isMarked = (i) => i === data.chosen || i === data.hard || i === data.regular;
const drawnRows = () => shownRows().filter(isDrawn);

// The Pareto front of two criteria: by one of them in order, the other only falls.
function frontOf(x, y) {
  const on = x.map(() => false);
  let least = Infinity, last = null;
  for (const i of shownRows().sort((a, b) => x[a] - x[b] || y[a] - y[b])) {
    const equal = last !== null && x[last] === x[i] && y[last] === y[i];
    if (y[i] < least || equal) on[i] = true;
    if (y[i] < least) { least = y[i]; last = i; }
  }
  return on;
}

// The cheapest candidate that is shown, within an error budget if there is one.
function cheapest(allCosts, budget) {
  const onlyShown = (values) => values.map((value, i) => (isShown(i) ? value : Infinity));
  const table = { softness, cost: onlyShown(allCosts), error: onlyShown(error) };
  if (data.penalty) Object.assign(table, { family: familyOf, penalty: data.penalty });
  return budget === null ? rules.cost(table) : rules.constrained(table, budget);
}

// The cheapest candidate of one softness, with certain settings if there is one.
function bestAt(cost, value, setting) {
  let there = shownRows().filter((i) => softness[i] === value);
  const same = there.filter((i) => settingOf[i] === setting);
  if (same.length) there = same;
  return leastRow({ softness }, there, cost);
}

// The prices at which another candidate becomes the choice, one price at a time, the
// nearest first, as in softcost.search.price_intervals. Costs are linear in a price, so the
// choice changes only where two lines cross; beyond a crossing, the rule decides.
const MOST_TURNS = 4;
function turnsOf(index, cost, prices, budget) {
  const unit = averageMistake(prices), rows = shownRows().filter((i) => i !== index);
  const keys = data.penalty ? [cost, cost.map((value, i) => value + data.penalty[i])] : [cost];
  const share = (i, cell) => confusion[i][cell] / totals[i];
  const crossings = (cell) => {
    const truth = Math.floor(cell / A), found = [];
    const lowest = data.byExample ? 0 : prices[truth * A + truth];
    for (const j of truth === cell % A ? [] : rows) {
      const fewer = share(index, cell) - share(j, cell);
      if (fewer === 0) continue;
      for (const key of keys) {
        const change = (key[j] - key[index]) / fewer;
        // At the lowest price itself, two models cost the same but for rounding.
        if (prices[cell] + change > lowest + 1e-9 * unit) found.push({ change, rises: change ? change > 0 : fewer > 0 });
      }
    }
    return found.sort((a, b) => Math.abs(a.change) - Math.abs(b.change));
  };
  const relative = (cell, change) => Math.abs(change) / (prices[cell] > 0 ? prices[cell] : unit);
  const cells = [];
  for (let cell = 0; cell < K * A; cell++) {
    const [first] = crossings(cell);
    if (first) cells.push({ cell, part: relative(cell, first.change) });
  }
  const found = [];
  for (const { cell, part } of cells.sort((a, b) => a.part - b.part)) {
    if (found.length >= MOST_TURNS && found[MOST_TURNS - 1].part <= part) break;
    for (const { change, rises } of crossings(cell)) {
      const beyond = change + (rises ? 1e-6 : -1e-6) * (Math.abs(change) || unit);
      const row = cheapest(cost.map((value, i) => value + share(i, cell) * beyond), budget);
      if (row === index) continue;
      found.push({ cell, truth: Math.floor(cell / A), guess: cell % A, price: prices[cell], at: prices[cell] + change, rises, row, part: relative(cell, change) });
      found.sort((a, b) => a.part - b.part);
      break;
    }
  }
  return found.slice(0, MOST_TURNS);
}

function averageMistake(prices) {
  let sum = 0;
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < K; j++) sum += prices[k * A + j] - prices[k * A + k];
  }
  return sum / (K * Math.max(K - 1, 1)) || 1;
}

// Cost by true class and answer, at changed prices.
function moneyOf(i, prices) {
  if (!paidCells) return confusion[i].map((n, cell) => n * prices[cell]);
  return paidCells[i].map((paid, cell) => paid + confusion[i][cell] * (prices[cell] - originalPrices[cell]));
}

function mistakesOf(counts, amounts) {
  const found = [];
  for (let cell = 0; cell < K * A; cell++) {
    const money = amounts[cell];
    if (money > 0 && counts[cell] > 0) found.push({ truth: Math.floor(cell / A), guess: cell % A, count: counts[cell], money });
  }
  return found.sort((a, b) => b.money - a.money || b.count - a.count);
}

// The best constant answer: as measured, or at other prices.
function constantAt(prices, edited) {
  if (!edited && data.constant) return { label: data.constant.label, cost: data.constant.cost, error: data.constant[data.error] ?? null };
  const sizes = recallsOf(confusion[data.chosen]).map((one) => one.size);
  const paid = data.answers.map((_, j) => sizes.reduce((sum, size, k) => sum + size * prices[k * A + j], 0));
  const best = paid.indexOf(Math.min(...paid));
  return { label: data.answers[best], cost: paid[best] / totals[data.chosen], error: null };
}

// Costs of the models on the test rows at other prices; null without confusion matrices.
function testCostsAt(prices) {
  const [, costs] = data.test.columns.find(([name]) => name === "cost") || [];
  if (!costs || !testConfusion) return null;
  return costs.map((cost, m) => {
    let more = 0, rows = 0;
    testConfusion[m].forEach((n, cell) => { more += n * (prices[cell] - originalPrices[cell]); rows += n; });
    return cost + more / rows;
  });
}

function recallsOf(counts) {
  return data.classes.map((_, k) => {
    let size = 0;
    for (let j = 0; j < A; j++) size += counts[k * A + j];
    return { size, recall: size > 0 ? counts[k * A + k] / size : null };
  });
}

// The measures that the table has, as Python's registry describes them. Costs follow
// changed prices; their standard errors belong to the original prices.
const measures = data.measures.filter((measure) => measure.tile && column(measure.name));
const valuesOf = (measure) => (measure.name === "cost" ? state.cost : column(measure.name));
const spreadOf = (measure) => (measure.unit === "cost" && state.edited ? null : column(measure.name + "_se"));
const titleOf = (measure) => measure.title + (measure.unit === "cost" && data.currency ? ", " + data.currency : "");
function formatOf(measure) {
  const format = measure.unit === "cost" ? money : (value) => percent(value, measure.digits);
  return (value) => (value === null || value === undefined ? "–" : format(value));
}
// A value with its standard error, if it has one.
function spreadText(measure, i) {
  const spread = spreadOf(measure);
  if (!spread || !spread[i]) return "";
  return measure.unit === "cost" ? spreadLike(valuesOf(measure)[i], spread[i]) : percent(spread[i], measure.digits);
}

// Numbers as people read them.
const groupings = new Map(); // making a format is slow, using it is not
function grouped(value, digits) {
  if (!groupings.has(digits)) groupings.set(digits, new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  return groupings.get(digits).format(value);
}
function money(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1000) return grouped(value, 0);
  if (size >= 10) return grouped(value, 1);
  if (size >= 1) return grouped(value, 2);
  if (size < 1e-4) return value.toExponential(1);
  return value.toPrecision(3);
}
const currency = data.currency ? "\u00a0" + data.currency : "";
const amount = (value) => money(value) + currency;
// A number without digits beyond its precision.
const rounded = (value, digits = 6) => (typeof value === "number" ? Number(value.toPrecision(digits)) : value);
// A standard error with as many decimals as its value.
function spreadLike(value, spread) {
  const digits = (money(value).split(".")[1] || "").length;
  return money(value).includes("e") ? money(spread) : grouped(spread, digits);
}
function count(value) {
  return Number.isInteger(value) ? grouped(value, 0) : grouped(value, value < 10 ? 2 : 1);
}
function percent(value, digits = 2) {
  return (100 * value).toFixed(digits) + "%";
}
function show(value) {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return value === true ? "True" : value === false ? "False" : value === null ? "None" : String(value);
}

// CSV: quoted if needed. A formula gets a quote, so spreadsheets do not run it.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  let text = String(value);
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  if (!isNumber && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n\t']/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");
}
