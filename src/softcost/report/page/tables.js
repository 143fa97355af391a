// Everything beside the chart: words, matrices, bars and lines.
function drawWords() {
  const i = state.index, base = data.regular !== null && data.regular !== i ? data.regular : data.hard;
  at("verdict-how").textContent = howChosen();
  const parts = [make("b", {}, money(state.cost[i])), " per example"];
  if (base !== null && base !== i && base !== undefined) {
    const name = base === data.regular ? "regular" : "hard";
    const change = state.cost[base] !== 0 ? (state.cost[i] - state.cost[base]) / Math.abs(state.cost[base]) : 0;
    if (Math.abs(change) >= 0.0005) parts.push(", ", make("b", {}, percent(Math.abs(change), Math.abs(change) < 0.1 ? 1 : 0) + (change < 0 ? " cheaper" : " more expensive")), " than the " + name + " model");
    else parts.push(", as much as the " + name + " model");
    parts.push(", at ", make("b", {}, percent(error[i]) + " " + errorWord));
    parts.push(error[base] === error[i] ? ", as many as it." : " instead of " + percent(error[base]) + ".");
  } else parts.push(", at ", make("b", {}, percent(error[i]) + " " + errorWord), ".");
  put(at("sentence"), ...parts.map((part) => (part instanceof Node ? part : document.createTextNode(part))));
  announce(howChosen() + ". " + at("sentence").textContent);
  const note = at("what-if-note");
  note.hidden = !state.edited;
  note.textContent = "Costs are at your what-if prices. The models were trained with the original prices: train again with yours for the best model.";
  drawExpected(i);
  drawMeasures(i);
}

// The best of many candidates owes something to luck.
function drawExpected(i) {
  const note = at("expected"), told = data.expected;
  note.hidden = !told || i !== data.chosen || state.edited;
  if (!note.hidden) note.textContent = "Chosen among " + count(N) + " models, so a little flattered: expect about " + money(told[0]) + " per example on new rows (95% of resamples: " + money(told[1]) + " to " + money(told[2]) + ").";
}

function howChosen() {
  const setting = settingOf[state.index] ? ", " + settingOf[state.index] : "";
  const model = "softness " + show(softness[state.index]) + setting;
  if (state.how === "budget") {
    const within = error[state.index] <= state.budget;
    return (within ? "Cheapest with at most " + budgetLabel(state.budget) + " " + errorWord : "No model has at most " + budgetLabel(state.budget) + " " + errorWord + "; fewest") + ": " + model;
  }
  if (state.how === "cheapest") return "Cheapest " + (state.edited ? "at your prices: " : "of the families shown: ") + model;
  return (nameOf(state.index) || "Your selection") + ": " + model;
}

function drawMeasures(i) {
  const tile = (name, value, spread, values, format) => {
    const rest = [["regular", data.regular], ["hard", data.hard]].filter(([, row]) => row !== null && row !== i);
    return make("div", { class: "measure" }, make("dt", {}, name),
      make("dd", {}, make("span", { class: "value" }, value), spread ? make("span", { class: "spread" }, " ± " + spread) : "",
        make("span", { class: "others" }, ...rest.map(([word, row]) => make("span", { class: "other " + word }, word + " " + format(values[row]))))));
  };
  const spread = costSpread()[i];
  const tiles = [
    tile("Cost per example", money(state.cost[i]), spread ? spreadLike(state.cost[i], spread) : "", state.cost, money),
    tile(data.error === "error" ? "Error rate" : "Weighted error rate", percent(error[i]), errorSe[i] ? percent(errorSe[i]) : "", error, percent),
  ];
  if (gMean) tiles.push(tile("G-mean of recalls", percent(gMean[i], 1), "", gMean, (value) => percent(value, 1)));
  for (const [name, title] of [["coverage", "Coverage"], ["error_answered", "Error among the answered"]]) {
    const values = column(name), rate = (value) => (value === null ? "–" : percent(value));
    if (values) tiles.push(tile(title, rate(values[i]), "", values, rate));
  }
  const paid = state.cost.map((cost, row) => cost * totals[row]);
  tiles.push(tile("Paid for " + count(Math.round(totals[i])) + " examples", money(paid[i]), "", paid, money));
  put(at("measures"), ...tiles);
}

function drawMistakes() {
  const counts = confusion[state.index], found = mistakesOf(counts, state.prices);
  const total = found.reduce((sum, one) => sum + one.money, 0);
  at("mistakes-hint").textContent = found.length
    ? "The most expensive mistakes of this model, held out in cross-validation" + (data.byExample ? ", at the mean price of each kind." : ".")
    : "No mistake of this model costs anything.";
  const shown = found.slice(0, 8);
  put(at("mistakes"), ...shown.map((one) => {
    const words = make("span", { class: "words" }, make("b", {}, count(one.count)), one.count === 1 ? " time " : " times ", label(one.truth),
      one.guess >= K ? " answered with " : one.truth === one.guess ? " rightly taken for " : " taken for ", label(one.guess), ": ", make("b", {}, money(one.money)));
    return make("li", {}, words, vary(make("span", { class: "meter", "aria-hidden": "true" }), "--v", one.money / found[0].money));
  }));
  const left = found.slice(8);
  at("mistakes-rest").textContent = (left.length ? "and " + left.length + " other kinds: " + money(left.reduce((sum, one) => sum + one.money, 0)) + ". " : "") + (found.length ? "In all " + money(total) + "." : "");
}

function headRow() {
  return make("thead", {}, make("tr", {}, make("td", { class: "corner" }, "predicted →", make("br"), "true ↓"),
    ...data.answers.map((_, k) => make("th", { scope: "col" }, make("div", { class: "turn" }, label(k))))));
}
const isCompact = () => data.answers.some((name) => name.length > Math.min(12, 70 / A));

function drawConfusion() {
  const counts = confusion[state.index];
  const values = state.money ? counts.map((value, cell) => value * state.prices[cell]) : counts;
  let top = 0;
  for (let cell = 0; cell < K * A; cell++) if (Math.floor(cell / A) !== cell % A || state.money) top = Math.max(top, values[cell]);
  at("confusion-hint").textContent = state.money
    ? "Money lost by kind of mistake: count times price" + (data.byExample ? " (mean price of the kind)." : ".")
    : "Held-out examples by true and predicted class; the darker, the more mistakes." + (A > K ? " The last columns are other answers." : "");
  const body = make("tbody");
  for (let k = 0; k < K; k++) {
    const row = make("tr", {}, make("th", { scope: "row" }, label(k)));
    for (let j = 0; j < A; j++) {
      const value = values[k * A + j];
      const right = k === j && !state.money;
      const cell = make("td", { class: right ? "right" : value ? "" : "none", title: data.answers[k] + " → " + data.answers[j] + ": " + (state.money ? money(value) : count(value)) }, value ? (state.money ? money(value) : count(value)) : "·");
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

function drawRecall() {
  const here = recallsOf(confusion[state.index]);
  const base = data.regular !== null && data.regular !== state.index ? recallsOf(confusion[data.regular]) : null;
  at("recall-hint").textContent = "Share of each class that is found." + (base ? " The thin mark is the regular model." : "");
  const lows = [...here, ...(base || [])].map((one) => one.recall).filter((one) => one !== null);
  const low = Math.min(...lows) > 0.85 ? 0.8 : Math.min(...lows) > 0.6 ? 0.5 : 0;
  put(at("recall"), ...here.map((one, k) => {
    const bar = make("span", { class: "track", "aria-hidden": "true" });
    if (one.recall !== null) bar.append(vary(make("span", { class: "fill" }), "--v", Math.max(0, (one.recall - low) / (1 - low))));
    if (base && base[k].recall !== null) bar.append(vary(make("span", { class: "mark" }), "--v", Math.max(0, (base[k].recall - low) / (1 - low))));
    return make("li", {}, label(k), bar, make("span", { class: "number" }, one.recall === null ? "none" : percent(one.recall, 1)), make("span", { class: "size" }, "of " + count(one.size)));
  }), low > 0 ? make("li", { class: "from", "aria-hidden": "true" }, "Bars begin at " + percent(low, 0) + ".") : null);
}

// Which single price would make another model the cheapest.
function drawTurns() {
  const budget = state.how === "budget" ? state.budget : null;
  const rivals = [...softness.keys()].filter((i) => i !== state.index && isShown(i) && (budget === null || error[i] <= budget));
  const best = cheapest(state.cost, budget), hint = at("turns-hint");
  const inBudget = budget === null || error[state.index] <= budget;
  if (best !== state.index || !inBudget) {
    hint.textContent = inBudget ? "This model is not the cheapest at these prices: the one with " + describe(best) + " is." : "No model is within the budget, whatever the prices are.";
    put(at("turns"));
    return;
  }
  const found = turnsOf(state.index, state.cost, state.prices, rivals);
  hint.textContent = found.length
    ? "This model stays the cheapest" + (budget === null ? "" : " within the budget") + " until one of these prices changes so far; the nearest first."
    : "No single price makes another model cheaper.";
  put(at("turns"), ...found.slice(0, 4).map((one) => make("li", { "data-cell": one.truth * A + one.guess, "data-at": one.at, "data-model": one.row },
    make("span", { class: "words" }, label(one.guess), " for a true ", label(one.truth)),
    " costs " + money(one.price) + "; " + (one.change < 0 ? "below " : "above ") + money(one.at) + " it would be the model with softness " + show(softness[one.row]) + (settingOf[one.row] ? ", " + settingOf[one.row] : "") + ".")));
}

function buildPrices() {
  const body = make("tbody");
  for (let k = 0; k < K; k++) {
    const row = make("tr", {}, make("th", { scope: "row" }, label(k)));
    for (let j = 0; j < A; j++) {
      const box = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 5, class: k === j ? "right" : "", "aria-label": "Price of predicting " + data.answers[j] + " for a true " + data.classes[k], "data-cell": k * A + j });
      box.value = show(originalPrices[k * A + j]);
      box.addEventListener("input", () => setPrice(box, k * A + j));
      box.addEventListener("keydown", (event) => walkPrices(event, k, j));
      row.append(make("td", {}, box));
    }
    body.append(row);
  }
  put(at("prices"), make("caption", { class: "quiet-only" }, "Price of each mistake: rows are true classes, columns predicted ones"), headRow(), body);
}

function walkPrices(event, k, j) {
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0] }[event.key] || [0, 0];
  if (!down && !right) return;
  const next = at("prices").querySelector('[data-cell="' + ((k + down) * A + j + right) + '"]');
  if (next && k + down >= 0) { next.focus(); next.select(); event.preventDefault(); }
}

function drawPricesHint() {
  const changed = state.prices.filter((price, cell) => price !== originalPrices[cell]).length;
  const kinds = data.byExample ? "Prices were given by example; these are their means by kind. " : "";
  at("prices-hint").textContent = changed
    ? changed + (changed === 1 ? " price" : " prices") + " changed: every cost on this page, the front and the choice follow. The models were trained with the original prices."
    : kinds + "Edit a price, and every cost on this page, the front and the choice follow at once, computed from the cross-validated confusion matrices. The models stay those trained with the original prices.";
  at("reset-prices").disabled = !state.edited;
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

function drawTest() {
  if (!data.test) return;
  at("test-card").hidden = false;
  at("test-hint").textContent = (data.testRows === null ? "Rows" : count(data.testRows) + " rows") + " that took no part in training or choosing.";
  const names = { cost: ["Cost per example", money], error: ["Error rate", percent], weighted_error: ["Weighted error rate", percent], g_mean: ["G-mean of recalls", (value) => percent(value, 1)], coverage: ["Coverage", percent], error_answered: ["Error among the answered", percent] };
  const shown = data.test.columns.filter(([name]) => Object.hasOwn(names, name));
  put(at("test"), make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Model"), ...shown.map(([name]) => make("th", { scope: "col" }, names[name][0])))),
    make("tbody", {}, ...data.test.models.map((model, i) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, model)), ...shown.map(([name, values]) => make("td", {}, values[i] === null ? "–" : names[name][1](values[i])))))));
}

function drawTable() {
  const head = make("thead", {}, make("tr", {}, ...[...(familyOf ? ["Family"] : []), "Softness", ...data.params, "Cost", "Error", "G-mean", "Front", ""].map((name) => make("th", { scope: "col" }, name))));
  const spread = costSpread();
  const body = make("tbody");
  for (const i of shownRows()) {
    const button = make("button", { type: "button", class: "small", "aria-label": "Select the model with " + describe(i) }, "Select");
    button.addEventListener("click", () => pick(i, "hand"));
    const marked = [nameOf(i).toLowerCase()];
    const cellOf = (name) => (familyOf && column(name)[i] === null ? "–" : show(column(name)[i]));
    const row = make("tr", {}, ...(familyOf ? [make("td", {}, make("bdi", {}, familyOf[i]))] : []), make("td", {}, show(softness[i])), ...data.params.map((name) => make("td", {}, cellOf(name))),
      make("td", {}, money(state.cost[i]) + (spread[i] ? " ± " + spreadLike(state.cost[i], spread[i]) : "")), make("td", {}, percent(error[i]) + (errorSe[i] ? " ± " + percent(errorSe[i]) : "")), make("td", {}, gMean ? percent(gMean[i], 1) : "–"),
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
  for (let i = 0; i < N; i++) rows.push([...data.columns.map(([, values]) => values[i]), ...extra.map(([, values]) => values[i])]);
  return csv(rows);
}

function pricesCsv() {
  return csv([["", ...data.answers], ...data.classes.map((name, k) => [name, ...state.prices.slice(k * A, k * A + A)])]);
}
