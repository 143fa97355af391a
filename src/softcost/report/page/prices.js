// What-if prices: a table of all prices, or one price at a time if there are many.
const MOST_BOXES = 400;
const oneByOne = K * A > MOST_BOXES;
// Mean prices have more digits than they are accurate to.
const priceText = (cell) => show(data.byExample ? rounded(originalPrices[cell], 4) : originalPrices[cell]);

function buildPrices() {
  if (oneByOne) buildOnePrice();
  else buildPriceTable();
}

function buildPriceTable() {
  const body = make("tbody");
  for (const k of classOrder) {
    const row = make("tr", {}, make("th", { scope: "row" }, label(k)));
    for (const j of answerOrder) {
      if (k === j) { row.append(make("td", { class: "right-answer", title: "Cost of the correct answer" }, priceText(k * A + j))); continue; }
      const box = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", size: 5, "aria-describedby": "price-message", "aria-label": "Price of predicting " + data.answers[j] + " for a true " + data.classes[k], "data-cell": k * A + j });
      box.value = priceText(k * A + j);
      box.addEventListener("input", () => setPrice(box, k * A + j));
      box.addEventListener("keydown", (event) => walkPrices(event, k, j));
      row.append(make("td", {}, box));
    }
    body.append(row);
  }
  vary(at("prices"), "--digits", Math.max(...originalPrices.map((_, cell) => priceText(cell).length)));
  put(at("prices"), make("caption", { class: "quiet-only" }, "Price of each mistake: rows are true classes, columns are predictions"), headRow(), body);
}

function walkPrices(event, k, j) {
  const down = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  if (!down) return;
  let place = classOrder.indexOf(k) + down;
  if (classOrder[place] === j) place += down; // the diagonal has no box
  const next = classOrder[place];
  const box = next === undefined ? null : at("prices").querySelector('[data-cell="' + (next * A + j) + '"]');
  if (box) { box.focus(); box.select(); event.preventDefault(); }
}

// Too many prices for a table: select a mistake, then enter its price.
function buildOnePrice() {
  const choice = (id, numbers, names) => make("select", { id }, ...numbers.map((k) => make("option", { value: k }, names[k])));
  const truth = choice("price-truth", classOrder, data.classes), guess = choice("price-guess", answerOrder, data.answers);
  // Begin with the most expensive mistake of the choice.
  const [worst] = mistakesOf(confusion[data.chosen], moneyOf(data.chosen, originalPrices)).filter((one) => one.truth !== one.guess);
  truth.value = String(worst ? worst.truth : classOrder[0]);
  guess.value = String(worst ? worst.guess : answerOrder[1]);
  const box = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", id: "price-box", size: 8, "aria-describedby": "price-message" });
  const cell = () => Number(truth.value) * A + Number(guess.value);
  const read = () => { box.value = state.prices[cell()] === originalPrices[cell()] ? priceText(cell()) : show(state.prices[cell()]); box.disabled = truth.value === guess.value; sayPrice(box, ""); };
  truth.addEventListener("change", read);
  guess.addEventListener("change", read);
  box.addEventListener("input", () => setPrice(box, cell()));
  const field = (text, element) => make("label", { class: "one-price-field" }, make("span", {}, text), element);
  put(at("one-price"), field("true class", truth), field("answer", guess), field("price", box));
  at("one-price").hidden = false;
  read();
}

function drawChangedPrices() {
  if (!oneByOne) return;
  const cells = [...state.prices.keys()].filter((cell) => state.prices[cell] !== originalPrices[cell]);
  put(at("changed-prices"), ...cells.map((cell) => {
    const back = make("button", { type: "button", class: "small" }, "Undo");
    back.addEventListener("click", () => { state.prices[cell] = originalPrices[cell]; at("price-truth").dispatchEvent(new Event("change")); reprice(); });
    return make("li", {}, label(cell % A), " for a true ", label(Math.floor(cell / A)), ": " + priceText(cell) + " → " + show(state.prices[cell]) + " ", back);
  }));
}

function drawPricesHint() {
  const changed = state.prices.filter((price, cell) => price !== originalPrices[cell]).length;
  const means = data.byExample ? "Costs were given by row; these are their means. " : "";
  const how = oneByOne ? "Select a mistake and change its price" : "Edit a price";
  at("prices-hint").textContent = changed
    ? changed + (changed === 1 ? " price" : " prices") + " changed. All costs on this page, the front and the choice use your prices."
    : means + how + ": all costs on this page, the front and the choice follow. The models stay the same.";
  at("reset-prices").disabled = !state.edited;
  drawChangedPrices();
}

function pricesCsv() {
  const text = (cell) => (state.prices[cell] === originalPrices[cell] && data.byExample ? rounded(state.prices[cell]) : state.prices[cell]);
  return csv([["", ...data.answers], ...data.classes.map((name, k) => [name, ...data.answers.map((_, j) => text(k * A + j))])]);
}
