// Matrices, bars, lists and lines beside the chart.
function drawMistakes() {
  const found = mistakesOf(confusion[state.index], moneyOf(state.index, state.prices));
  const total = found.reduce((sum, one) => sum + one.money, 0), paid = state.cost[state.index] * totals[state.index];
  at("mistakes-hint").textContent = found.length
    ? "The most expensive mistakes of this model, held out in cross-validation" + (data.byExample && !paidCells ? ", at the mean price of each kind." : ".")
    : "No mistake of this model costs anything.";
  const shown = found.slice(0, 8);
  put(at("mistakes"), ...shown.map((one) => {
    const words = make("span", { class: "words" }, make("b", {}, count(one.count)), one.count === 1 ? " time " : " times ", label(one.truth),
      one.guess >= K ? " answered with " : one.truth === one.guess ? " rightly taken for " : " taken for ", label(one.guess), ": ", make("b", {}, amount(one.money)));
    return make("li", {}, words, vary(make("span", { class: "meter", "aria-hidden": "true" }), "--v", one.money / found[0].money));
  }));
  const left = found.slice(8);
  // The total also has benefits and costs of single rows, which are no kind of mistake.
  const apart = Math.abs(paid - total) > 0.005 * Math.abs(paid);
  const inAll = apart ? "These kinds: " + amount(total) + "; paid in all: " + amount(paid) + (data.byExample && !paidCells ? ", since rows have prices of their own." : ".") : "In all " + amount(paid) + ".";
  at("mistakes-rest").textContent = (left.length ? "and " + left.length + " other kinds: " + amount(left.reduce((sum, one) => sum + one.money, 0)) + ". " : "") + (found.length ? inAll : "");
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
    ? "Money lost by kind of mistake" + (data.byExample && !paidCells ? ": count times mean price." : paidCells ? "." : ": count times price.")
    : "Held-out examples by true and predicted class; the darker, the more mistakes." + (A > K ? " The last columns are other answers." : ""))
    + (isHeatMap ? " Point at a cell for its number." : "");
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
  put(at("confusion"), make("caption", { class: "quiet-only" }, "Rows are true classes, columns predicted ones"), headRow(), body);
  at("in-counts").setAttribute("aria-pressed", String(!state.money));
  at("in-money").setAttribute("aria-pressed", String(state.money));
}

// With many classes, those of lowest recall; the others on demand.
const MOST_BARS = 15;
function drawRecall() {
  const here = recallsOf(confusion[state.index]);
  const base = data.regular !== null && data.regular !== state.index ? recallsOf(confusion[data.regular]) : null;
  const many = K > MOST_BARS && !state.allRecalls;
  at("recall-hint").textContent = "Share of each class that is found." + (base ? " The thin mark is the regular model." : "") + (many ? " These are found least." : "");
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
  more.textContent = many ? "Show all " + K + " classes" : "Show those found least";
}

// Which single price would make another model the cheapest.
function drawTurns() {
  const budget = state.how === "budget" ? state.budget : null;
  const rivals = [...softness.keys()].filter((i) => i !== state.index && isShown(i) && (budget === null || error[i] <= budget));
  const best = cheapest(state.cost, budget), hint = at("turns-hint");
  const inBudget = budget === null || error[state.index] <= budget;
  if (best !== state.index || !inBudget) {
    const steady = state.index === data.chosen && !state.edited && familyOf && familyOf[data.chosen] === "blend";
    hint.textContent = inBudget ? "This model is not the cheapest at these prices: the one with " + describe(best) + " is." + (steady ? " softcost chooses the blend of families unless another model is clearly cheaper, since the lowest of many costs is optimistic." : "") : "No model is within the budget, at any prices.";
    put(at("turns"));
    return;
  }
  const found = turnsOf(state.index, state.cost, state.prices, rivals);
  hint.textContent = found.length
    ? "This model stays the cheapest" + (budget === null ? "" : " within the budget") + " until one of these prices changes this far, the nearest first."
    : "No single price makes another model cheaper.";
  put(at("turns"), ...found.slice(0, 4).map((one) => make("li", { "data-cell": one.truth * A + one.guess, "data-at": one.at, "data-model": one.row },
    make("span", { class: "words" }, label(one.guess), " for a true ", label(one.truth)),
    " costs " + amount(one.price) + "; " + (one.change < 0 ? "below " : "above ") + amount(one.at) + " it would be the model with softness " + show(softness[one.row]) + (settingOf[one.row] ? ", " + settingOf[one.row] : "") + ".")));
}

function drawLines() {
  const block = (name, lines) => {
    if (!lines) return null;
    const text = lines[state.index];
    const button = make("button", { type: "button", class: "small", "aria-label": "Copy the " + name.toLowerCase() + " line" }, "Copy");
    button.addEventListener("click", async () => {
      const done = await copy(text);
      button.textContent = done ? "Copied" : "Select and copy";
      announce(button.textContent);
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
    return make("div", { class: "line" }, make("div", { class: "line-head" }, make("span", {}, name), button), make("pre", { tabindex: 0 }, make("code", {}, text)));
  };
  put(at("lines"), block("Command line", data.commands), block("Python", data.pythons));
  at("use-title").parentElement.hidden = !data.commands && !data.pythons;
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
  put(at("test"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Model"), ...shown.map(([title]) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...data.test.models.map((model, i) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, model === "constant" && data.constant ? "always " + data.constant.label : model)), ...shown.map(([, format, values]) => make("td", {}, format(values[i])))))));
}

// Column importance is measured once: it follows neither changed prices nor models.
function drawImportance() {
  const all = data.importance;
  if (!all.some((one) => one.saving !== 0)) return;
  at("importance-card").hidden = false;
  const few = all.length > MOST_BARS && !state.allColumns, most = Math.max(...all.map((one) => one.saving), 0);
  at("importance-hint").textContent = "Importance of each column to the " + chosenWord.toLowerCase() + " model: the extra cost per example" + (data.currency ? ", in " + data.currency + "," : "") + " when the column is shuffled, at the original prices"
    + (data.importanceRows === null ? "." : ", on " + count(data.importanceRows) + " test rows.") + " In brackets, the 95% interval; pale if it may be chance.";
  put(at("importance"), ...(few ? all.slice(0, MOST_BARS) : all).map((one) => {
    const bar = make("span", { class: "track", "aria-hidden": "true" });
    if (one.saving > 0 && most > 0) bar.append(vary(make("span", { class: one.shown ? "fill" : "fill pale" }), "--v", one.saving / most));
    const interval = one.low === null || one.high === null ? "" : "(" + money(one.low) + " to " + money(one.high) + ")";
    return make("li", {}, make("bdi", {}, one.column), bar, make("span", { class: "number" }, money(one.saving)), make("span", { class: "size" }, interval));
  }));
  const more = at("all-columns");
  more.hidden = all.length <= MOST_BARS;
  more.textContent = few ? "Show all " + count(all.length) + " columns" : "Show the most important";
}

function drawTable() {
  const columns = measures.filter((measure) => measure.headline);
  const head = make("thead", {}, make("tr", {}, ...[...(familyOf ? ["Family"] : []), "Softness", ...data.params, ...columns.map((measure) => measure.heading[0].toUpperCase() + measure.heading.slice(1)), "Front", ""].map((name) => make("th", { scope: "col" }, name))));
  const body = make("tbody");
  for (const i of shownRows()) {
    const button = make("button", { type: "button", class: "small", "aria-label": "Select the model with " + describe(i) }, "Select");
    button.addEventListener("click", () => pick(i, "hand"));
    const marked = [nameOf(i).toLowerCase()];
    const cellOf = (name) => (familyOf && column(name)[i] === null ? "–" : show(column(name)[i]));
    const row = make("tr", {}, ...(familyOf ? [make("td", {}, make("bdi", {}, familyOf[i]))] : []), make("td", {}, show(softness[i])), ...data.params.map((name) => make("td", {}, cellOf(name))),
      ...columns.map((measure) => make("td", {}, formatOf(measure)(valuesOf(measure)[i]) + (spreadText(measure, i) ? " ± " + spreadText(measure, i) : ""))),
      make("td", {}, [state.front[i] ? "yes" : "", ...marked].filter(Boolean).join(", ")), make("td", {}, button));
    row.dataset.row = i;
    body.append(row);
  }
  put(at("table"), head, body);
}

function markTable() {
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

