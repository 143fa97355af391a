// Matrices, bars, lists and lines beside the chart.
function drawMistakes() {
  const found = mistakesOf(confusion[state.index], moneyOf(state.index, state.prices));
  const total = found.reduce((sum, one) => sum + one.money, 0), paid = state.cost[state.index] * totals[state.index];
  at("mistakes-hint").textContent = found.length
    ? "The most expensive mistakes of this model in cross-validation" + (data.byExample && !paidCells ? ", at the mean price of each kind." : ".")
    : "This model made no mistake that costs anything.";
  const shown = found.slice(0, 8);
  put(at("mistakes"), ...shown.map((one) => {
    const words = make("span", { class: "words" }, make("b", {}, count(one.count)), one.count === 1 ? " time " : " times ", label(one.truth),
      one.guess >= K ? " answered with " : one.truth === one.guess ? " correctly predicted as " : " predicted as ", label(one.guess), ": ", make("b", {}, amount(one.money)));
    return make("li", {}, words, vary(make("span", { class: "meter", "aria-hidden": "true" }), "--v", one.money / found[0].money));
  }));
  const left = found.slice(8);
  // The total also includes benefits, and costs of single rows.
  const apart = Math.abs(paid - total) > 0.005 * Math.abs(paid);
  const inAll = apart ? "Sum of these: " + amount(total) + "; total cost: " + amount(paid) + (data.byExample && !paidCells ? ", since each row has its own costs." : ".") : "Total: " + amount(paid) + ".";
  at("mistakes-rest").textContent = (left.length ? count(left.length) + (left.length === 1 ? " other kind of mistake: " : " other kinds of mistakes: ") + amount(left.reduce((sum, one) => sum + one.money, 0)) + ". " : "") + (found.length ? inAll : "");
}

function headRow() {
  return make("thead", {}, make("tr", {}, make("td", { class: "corner" }, "predicted →", make("br"), "true ↓"),
    ...answerOrder.map((k) => make("th", { scope: "col" }, make("div", { class: "turn" }, label(k))))));
}
const isHeatMap = K > 20; // cells without room for numbers
const isCompact = () => isHeatMap || data.answers.some((name) => name.length > Math.min(12, 70 / A));

function drawConfusion() {
  const counts = confusion[state.index];
  const values = state.money ? moneyOf(state.index, state.prices) : counts;
  let top = 0;
  for (let cell = 0; cell < K * A; cell++) if (Math.floor(cell / A) !== cell % A || state.money) top = Math.max(top, values[cell]);
  at("confusion-hint").textContent = (state.money
    ? "Cost by kind of mistake" + (data.byExample && !paidCells ? ": count times mean price." : paidCells ? "." : ": count times price.")
    : "Held-out rows by true class and prediction; darker cells have more mistakes." + (A > K ? " The last columns are actions." : ""))
    + (isHeatMap ? " Point at a cell for its number." : "");
  at("in-counts").setAttribute("aria-pressed", String(!state.money));
  at("in-money").setAttribute("aria-pressed", String(state.money));
  if (isPicture) return drawHeatMap(values, top);
  const body = make("tbody");
  for (const k of classOrder) {
    const row = make("tr", {}, make("th", { scope: "row" }, label(k)));
    for (const j of answerOrder) {
      const value = values[k * A + j];
      const right = k === j && !state.money;
      const text = value ? (state.money ? money(value) : count(value)) : "·";
      const cell = make("td", { class: right ? "right" : value ? "" : "none", title: data.classes[k] + " → " + data.answers[j] + ": " + text }, isHeatMap ? make("span", { class: "quiet-only" }, text) : text);
      const heat = right || top === 0 ? 0 : Math.sqrt(Math.max(0, value) / top);
      if (heat > 0.62) cell.classList.add(heat > 0.9 ? "strongest" : "strong");
      row.append(vary(cell, "--v", heat.toFixed(3)));
    }
    body.append(row);
  }
  put(at("confusion"), make("caption", { class: "quiet-only" }, "Rows are true classes, columns are predictions"), headRow(), body);
}

// Tens of thousands of table cells take seconds to lay out: one picture instead. The
// pointer or the arrow keys select a cell, whose number is shown below.
const isPicture = K * A > 5000;
const heatMap = { cell: [0, 0], values: null, top: 0 };
function buildHeatMap() {
  if (!isPicture) return;
  const canvas = make("canvas", { id: "heat-map", tabindex: 0, role: "img", "aria-describedby": "heat-map-cell" });
  const cellAt = (event) => {
    const frame = canvas.getBoundingClientRect();
    const place = (px, size, n) => Math.min(n - 1, Math.max(0, Math.floor((px / size) * n)));
    return [place(event.clientY - frame.top, frame.height, K), place(event.clientX - frame.left, frame.width, A)];
  };
  canvas.addEventListener("pointermove", (event) => showCell(cellAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    showCell([Math.min(K - 1, Math.max(0, heatMap.cell[0] + step[0])), Math.min(A - 1, Math.max(0, heatMap.cell[1] + step[1]))]);
    announce(at("heat-map-cell").textContent);
  });
  at("confusion").replaceWith(canvas, make("p", { class: "hint", id: "heat-map-cell" }));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawHeatMap(heatMap.values, heatMap.top));
}

function drawHeatMap(values, top) {
  Object.assign(heatMap, { values, top });
  const canvas = at("heat-map"), size = Math.max(2, Math.floor(900 / Math.max(K, A)));
  canvas.width = A * size;
  canvas.height = K * size;
  canvas.setAttribute("aria-label", "Confusion matrix of " + K + " classes: rows are true classes, columns are predictions. Arrow keys select a cell.");
  const style = getComputedStyle(document.documentElement);
  const [tint, good, heat] = ["--tint", "--good", "--heat"].map((name) => style.getPropertyValue(name).trim());
  const pen = canvas.getContext("2d");
  pen.fillStyle = tint;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  classOrder.forEach((k, row) => answerOrder.forEach((j, place) => {
    const value = values[k * A + j], right = k === j && !state.money;
    if (!(value > 0)) return;
    pen.fillStyle = right ? good : heat;
    pen.globalAlpha = right ? 0.35 : 0.15 + 0.85 * Math.sqrt(value / top);
    pen.fillRect(place * size, row * size, size, size);
  }));
  pen.globalAlpha = 1;
  showCell(heatMap.cell);
}

function showCell(cell) {
  heatMap.cell = cell;
  const k = classOrder[cell[0]], j = answerOrder[cell[1]], value = heatMap.values[k * A + j];
  put(at("heat-map-cell"), "True ", label(k), ", predicted ", label(j), ": " + (state.money ? amount(value) : count(value)));
}

// With many classes, those of lowest recall; the others on demand.
const MOST_BARS = 15;
function drawRecall() {
  const here = recallsOf(confusion[state.index]);
  const base = data.regular !== null && data.regular !== state.index ? recallsOf(confusion[data.regular]) : null;
  const many = K > MOST_BARS && !state.allRecalls;
  at("recall-hint").textContent = "Share of each class that the model finds." + (base ? " The thin mark is the regular model." : "") + (many ? " Lowest recalls first." : "");
  const least = (k) => (here[k].recall === null ? 2 : here[k].recall);
  const shown = many ? [...classOrder].sort((a, b) => least(a) - least(b)).slice(0, MOST_BARS) : classOrder;
  put(at("recall"), ...shown.map((k) => {
    const one = here[k], bar = make("span", { class: "track", "aria-hidden": "true" });
    if (one.recall !== null) bar.append(vary(make("span", { class: "fill" }), "--v", one.recall));
    if (base && base[k].recall !== null) bar.append(vary(make("span", { class: "mark" }), "--v", base[k].recall));
    return make("li", {}, label(k), bar, make("span", { class: "number" }, one.recall === null ? "none" : percent(one.recall, 1)), make("span", { class: "size" }, "of " + count(one.size)));
  }));
  const more = at("all-recalls");
  more.hidden = K <= MOST_BARS;
  more.textContent = many ? "Show all " + K + " classes" : "Show the lowest recalls";
}

// Which single price would change the choice.
function drawTurns() {
  const budget = state.how === "hand" ? null : state.budget, limit = budget === null ? "" : " within the budget";
  const best = cheapest(state.cost, budget), missed = budget !== null && error[best] > budget;
  const turns = missed || best !== state.index ? [] : turnsOf(best, state.cost, state.prices, budget);
  at("turns-hint").textContent = missed ? "No model is within the budget, at any prices."
    : best !== state.index ? "By cost" + limit + ", softcost would choose " + nameModel(best) + " at these prices: " + amount(state.cost[best]) + " per row, with " + percent(error[best]) + " " + errorWord + "."
      : turns.length ? "This model stays the choice" + limit + " until one of these prices changes this much, the nearest first."
        : "No change of a single price would change the choice.";
  put(at("turns"), ...turns.map((one) => make("li", { "data-cell": one.cell, "data-at": one.at, "data-model": one.row },
    make("span", { class: "words" }, label(one.guess), " for a true ", label(one.truth)),
    " costs " + show(rounded(one.price, 4)) + currency + "; " + (one.rises ? "above " : "below ") + amount(one.at) + " the choice is " + nameModel(one.row) + ".")));
}

// The commands for the selected model: to choose it from the model file if it is there,
// else to train it. Names of files were quoted for the shell in Python.
const EDITED_PRICES = "edited-prices.csv";
function commandsFor(i) {
  const isKept = data.file !== null && data.kept.includes(i);
  const from = (file) => "softcost choose " + file + " --candidate " + i;
  const train = data.commands ? data.commands[i] : null;
  if (!state.edited) {
    if (isKept && i === data.chosen) {
      return { note: "You already have this model: it is in " + data.file + ".", lines: [["Predict new rows", "softcost predict " + data.fileWord + " NEW.csv -o PREDICTIONS.csv"]] };
    }
    if (isKept) return { lines: [["Command line", from(data.fileWord) + " -o OTHER.softcost"]] };
    if (train) return { note: data.file === null ? "" : data.file + " does not contain this model. This command trains it.", lines: [["Command line", train]] };
    return { note: data.file === null ? "" : data.file + " does not contain this model. Select a model of the Pareto front.", lines: [] };
  }
  if (data.byExample) return { note: "Costs were given by row, and these prices are their means. Change the costs in the table and train again.", lines: data.refit ? [["Train again", data.refit]] : [] };
  const priced = (file) => from(file) + " --costs " + EDITED_PRICES + " -o OTHER.softcost";
  const lines = [];
  if (isKept) lines.push(["Use this model with your prices", priced(data.fileWord)]);
  else if (train) lines.push(["Use this model with your prices", train + "\n" + priced("OUT.softcost")]);
  if (data.refit) lines.push(["Train new models for your prices", data.refit]);
  return { prices: lines.length > 0, note: lines.length ? "Save your prices as " + EDITED_PRICES + " first. A model that decides by probabilities then decides by your prices; any other model predicts as before." : "", lines };
}

function pythonFor(i) {
  if (!data.pythons) return null;
  if (!state.edited || data.byExample) return data.pythons[i];
  const read = "from softcost.costs import read_costs\n\ncost_matrix = read_costs(\"" + EDITED_PRICES + "\")\n";
  return read + (data.pythons[i].includes("search.") ? "search.set_params(cost_matrix=cost_matrix).fit(X, y)" : data.pythons[i]);
}

function lineBlock(name, text) {
  const button = make("button", { type: "button", class: "small", "aria-label": "Copy: " + name }, "Copy");
  button.addEventListener("click", async () => {
    const done = await copy(text);
    button.textContent = done ? "Copied" : "Select and copy";
    announce(button.textContent);
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  });
  return make("div", { class: "line" }, make("div", { class: "line-head" }, make("span", {}, name), button), make("pre", { tabindex: 0 }, make("code", {}, text)));
}

function drawLines() {
  const { note, lines, prices } = commandsFor(state.index), python = pythonFor(state.index);
  const save = prices ? make("button", { type: "button", class: "small" }, "Download " + EDITED_PRICES) : null;
  if (save) save.addEventListener("click", () => download(EDITED_PRICES, pricesCsv()));
  put(at("lines"), note || save ? make("p", { class: "use-note" }, note || "", save ? " " : "", save || "") : null,
    ...lines.map(([name, text]) => lineBlock(name, text)), python === null ? null : lineBlock("Python", python));
  at("use-title").parentElement.hidden = !data.commands && !data.pythons && data.file === null;
}

// Test results follow changed prices if there are confusion matrices of the test rows.
function drawTest() {
  if (!data.test) return;
  at("test-card").hidden = false;
  const follows = state.edited ? testCostsAt(state.prices) : null;
  const rows = data.testNote || (data.testRows === null ? "Rows" : count(data.testRows) + " rows") + " used neither for training nor for choosing.";
  at("test-hint").textContent = rows + (!state.edited ? "" : follows ? " Costs use your what-if prices." : " Costs still use the original prices.");
  const shown = data.test.columns.flatMap(([name, values]) => data.measures.filter((measure) => measure.name === name)
    .map((measure) => [titleOf(measure), formatOf(measure), name === "cost" && follows ? follows : values]));
  const models = data.test.models, chosen = models.indexOf("chosen");
  // The chosen model may also be the best hard or regular one: one row for both.
  const twins = ["hard", "regular"].filter((name) => chosen >= 0 && models.includes(name) && data[name] === data.chosen);
  const nameOfModel = (i) => (models[i] === "constant" && data.constant ? "always " + data.constant.label : i === chosen ? ["chosen", ...twins].join(" = ") : models[i]);
  drawSortable("test", [
    { name: "Model", cell: (i) => make("bdi", {}, nameOfModel(i)), key: nameOfModel },
    ...shown.map(([name, format, values]) => ({ name, cell: (i) => format(values[i]), key: (i) => values[i] })),
  ], [...models.keys()].filter((i) => !twins.includes(models[i])), chosen);
}

// Column importance is measured once: it follows neither changed prices nor models.
function drawImportance() {
  const all = data.importance;
  if (!all.some((one) => one.saving !== 0)) return;
  at("importance-card").hidden = false;
  const useful = all.filter((one) => one.saving > 0).slice(0, MOST_BARS), shown = state.allColumns ? all : useful, most = Math.max(...all.map((one) => one.saving), 0);
  at("importance-hint").textContent = "Extra cost per row" + (data.currency ? ", in " + data.currency + "," : "") + " when a column is shuffled: " + chosenModel + " at the original prices"
    + (data.importanceRows === null ? "." : ", on " + count(data.importanceRows) + " test rows.") + " In brackets, the 95% CI; a pale bar may be chance." + (useful.length ? "" : " No column raises the cost.");
  put(at("importance"), ...shown.map((one) => {
    const bar = make("span", { class: "track", "aria-hidden": "true" });
    if (one.saving > 0 && most > 0) bar.append(vary(make("span", { class: one.shown ? "fill" : "fill pale" }), "--v", one.saving / most));
    const interval = one.low === null || one.high === null ? "" : "(" + money(one.low) + " to " + money(one.high) + ")";
    return make("li", {}, make("bdi", {}, one.column), bar, make("span", { class: "number" }, money(one.saving)), make("span", { class: "size" }, interval));
  }));
  const more = at("all-columns");
  more.hidden = all.length === useful.length;
  more.textContent = state.allColumns ? "Show the most important columns" : "Show all " + count(all.length) + " columns";
}

// A table that its headings sort: columns have a name, a cell and a sort key.
function drawSortable(id, columns, items, current) {
  const chosen = state.sorts[id], key = chosen && columns[chosen.column] && columns[chosen.column].key;
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)], none = (value) => value === null || value === undefined;
    if (none(x) || none(y)) return none(x) - none(y);
    return (typeof x === "number" && typeof y === "number" ? x - y : counting.compare(String(x), String(y))) * (chosen.down ? -1 : 1);
  };
  const rows = key ? [...items].sort(compare) : items;
  const heads = columns.map(({ name }, column) => {
    const here = chosen && chosen.column === column;
    const button = make("button", { type: "button", class: "sort", "data-column": column }, name);
    button.addEventListener("click", () => {
      state.sorts[id] = { column, down: here ? !chosen.down : false };
      drawSortable(id, columns, items, current);
      markTable();
      at(id).querySelector('[data-column="' + column + '"]').focus();
    });
    return make("th", { scope: "col", "aria-sort": here ? (chosen.down ? "descending" : "ascending") : "none" }, button);
  });
  const body = rows.map((item) => {
    const row = make("tr", {}, ...columns.map(({ cell }, column) => make(column === 0 && id === "test" ? "th" : "td", column === 0 && id === "test" ? { scope: "row" } : {}, cell(item))));
    row.dataset.row = item;
    if (item === current) row.setAttribute("aria-current", "true");
    return row;
  });
  put(at(id), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body));
}

function drawTable() {
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const select = (i) => {
    const button = make("button", { type: "button", class: "small", title: "Select this model", "aria-label": "Select " + describe(i) }, i);
    button.addEventListener("click", () => pick(i, "hand"));
    return button;
  };
  const note = (i) => [state.front[i] ? "front" : "", nameOf(i).toLowerCase()].filter(Boolean).join(", ");
  const columns = [
    { name: "No.", cell: select, key: (i) => i },
    ...(familyOf ? [{ name: "Family", cell: (i) => make("bdi", {}, familyOf[i]), key: (i) => familyOf[i] }] : []),
    { name: "Softness", cell: (i) => show(softness[i]), key: (i) => softness[i] },
    ...data.params.map((name) => ({ name, cell: (i) => (familyOf && column(name)[i] === null ? "–" : show(column(name)[i])), key: (i) => column(name)[i] })),
    ...measures.filter((measure) => measure.headline).map((measure) => ({
      name: capital(measure.heading),
      cell: (i) => formatOf(measure)(valuesOf(measure)[i]) + (spreadText(measure, i) ? " ± " + spreadText(measure, i) : ""),
      key: (i) => valuesOf(measure)[i],
    })),
    { name: "Front", cell: note, key: (i) => (state.front[i] ? 0 : 1) },
  ];
  drawSortable("table", columns, drawnRows(), state.index);
  const more = at("every-row"), all = shownRows();
  more.hidden = !state.every && all.every((i) => !behind(i));
  more.setAttribute("aria-pressed", String(state.every));
  more.textContent = state.every ? "Show the front only" : "Show all " + count(all.length) + " models";
}

function markTable() {
  if (!at("table").querySelector('tr[data-row="' + state.index + '"]')) drawTable();
  for (const row of at("table").querySelectorAll("tbody tr")) {
    if (Number(row.dataset.row) === state.index) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function tableCsv() {
  const names = data.columns.map(([name]) => name);
  const extra = state.edited ? [["what_if_cost", state.cost], ["what_if_on_front", state.front]] : [];
  const rows = [[...names, ...extra.map(([name]) => name)]];
  for (let i = 0; i < N; i++) rows.push([...data.columns, ...extra].map(([, values]) => rounded(values[i])));
  return csv(rows);
}

