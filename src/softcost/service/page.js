
"use strict";
const SHOWN_WORDS = 8;
const part = (id) => document.getElementById(id);
let token = "";

function authorized(headers) {
  return token ? { ...headers, authorization: `Bearer ${token}` } : headers;
}

// Names of columns and classes are written as text, never as HTML.
function addRow(table, cells) {
  const row = table.insertRow();
  for (const [index, text] of cells.entries()) {
    const cell = row.insertCell();
    const inner = index === 0 ? cell.appendChild(document.createElement("code")) : cell;
    inner.textContent = text;
  }
}

function describe(service) {
  const { Row: row, Answer: answer } = service.components.schemas;
  const prediction = answer.properties.prediction;
  for (const name of prediction.enum || [prediction.const]) {
    part("answers").append(part("answers").hasChildNodes() ? ", " : ": ");
    part("answers").appendChild(document.createElement("code")).textContent = name;
  }
  const body = service.paths["/predict"].post.requestBody.content["application/json"];
  const example = body.schema.examples[0];
  part("rows").value = JSON.stringify(example, null, 2);
  for (const [path, methods] of Object.entries(service.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const statuses = Object.keys(operation.responses).join(", ");
      addRow(part("paths"), [`${method.toUpperCase()} ${path}`, operation.description, statuses]);
    }
  }
  part("named").hidden = !row.properties;
  if (!row.properties) part("unnamed").textContent = `A list of ${row.maxItems} numbers. ${row.description}`;
  for (const [name, column] of Object.entries(row.properties || {})) {
    const words = column.examples || [example[name]];
    const more = words.length > SHOWN_WORDS ? ", ..." : "";
    addRow(part("columns"), [name, column.description, words.slice(0, SHOWN_WORDS).join(", ") + more]);
  }
}

async function start() {
  part("problem").textContent = "";
  try {
    const response = await fetch("openapi.json", { headers: authorized({}) });
    const found = await response.json();
    part("login").hidden = response.status !== 401;
    if (response.ok) describe(found);
    else if (token || response.status !== 401) part("problem").textContent = found.error;
  } catch (problem) {
    part("problem").textContent = "The service does not answer. Is it still running?";
  }
}

part("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = part("token").value.trim();
  start();
});

part("ask").addEventListener("click", async () => {
  part("answer").textContent = "...";
  try {
    const response = await fetch("predict", {
      method: "POST",
      headers: authorized({ "content-type": "application/json" }),
      body: part("rows").value,
    });
    const found = await response.json();
    const status = response.ok ? "" : `${response.status}: `;
    part("answer").textContent = status + (found.error || JSON.stringify(found, null, 2));
  } catch (problem) {
    part("answer").textContent = "The service does not answer. Is it still running?";
  }
});

start();
