"use strict";
const find = (selector) => document.querySelector(selector);
const [model, against, reply, chat, turns] = ["#model", "#against", "#reply", "#chat", "#turns"].map(find);
const ROLES = ["system", "developer", "user", "assistant", "tool"];
const REPLY = `<think>
The user wants the weather: I call the tool.
</think>

Let me look.
<tool_call>
{"name": "weather", "arguments": {"city": "Zürich", "days": 3}}
</tool_call>`;
const TOKENIZER = "tokenizer.json";
const SLOW = 1500; // Milliseconds after which a reader may stop what runs.
const START = "Loading Python, once";
let worker;
let files = [];
let dropped = {};
let answer = {};
let busy = true;
let waiting = false;
let plays = false;
let slow;

// What is asked, and what comes back.

function view() {
  return find("[name=view]:checked").value;
}

function ask() {
  find("#asks").disabled = isAnswered();
  if (busy) return void (waiting = true);
  if (view() === "tokens" && !dropped.tokenizer) return showTokens();
  begin();
  worker.postMessage({ asked: {
    view: view(), model: dropped.model || model.value.trim(), chat: chat.value, asks: find("#asks").checked,
    against: against.value.trim(), reply: reply.value, tokenizer: dropped.tokenizer || "",
  } });
}

// After an answer nobody is asked.
function isAnswered() {
  try {
    return read().messages.at(-1)?.role === "assistant";
  } catch {
    return false;
  }
}

function begin() {
  busy = true;
  waiting = false;
  clearTimeout(slow);
  slow = setTimeout(() => { say("This takes long."); find("#stop").hidden = false; }, SLOW);
}

function end() {
  busy = false;
  clearTimeout(slow);
  find("#stop").hidden = true;
}

function heard({ data }) {
  if (data.loaded || data.starts) return progress(data);
  if (data.failed) return fail(data.failed);
  if (data.known) ready(data.known);
  if (data.dropped) dropped = data.dropped;
  if (data.again) return;
  end();
  if (data.answer && data.asked.view === view()) show(data.answer);
  if (waiting || data.dropped) ask();
}

function progress({ loaded, starts }) {
  const [bar, megabytes] = [find("#loading progress"), (bytes) => (bytes / 1e6).toFixed(1)];
  find("#loading span").textContent = starts || START;
  bar.hidden = false;
  if (starts) {
    bar.removeAttribute("value");
    find("#loading output").textContent = "";
  } else {
    bar.value = loaded;
    find("#loading output").textContent = `${megabytes(Math.min(loaded, bar.max))} of ${megabytes(bar.max)} MB`;
  }
}

function ready(names) {
  find("#loading").hidden = true;
  document.body.dataset.python = "ready";
  suggest(names);
}

function fail(why) {
  find("#loading").hidden = true;
  say(`Python did not start: ${why}`);
}

// A template that runs away is ended with its Python, and another one begins.
function stop() {
  worker.terminate();
  end();
  start(false);
  show({ error: "Stopped: it took too long, so its Python was ended, and another one begins.\n  try: change what is asked" });
}

function start(asks) {
  busy = true;
  waiting = asks;
  document.body.dataset.python = "starts";
  find("#loading").hidden = false;
  progress({ loaded: 0 });
  worker = new Worker("worker.js", { type: "module" });
  worker.addEventListener("message", heard);
  worker.addEventListener("error", (event) => fail(event.message || "its files cannot be read"));
  if (files.length) worker.postMessage({ files, again: true });
}

function say(text) {
  find("#state").textContent = text;
  find("#state").hidden = !text;
}

function suggest(names) {
  find("#known").replaceChildren(...names.map((name) => new Option(name)));
  if (!names.some((name) => name.startsWith("mistral:"))) against.value = names[0];
}

function show(given) {
  say((given.notes || []).join("\n"));
  find("#error").hidden = !given.error;
  find("#error").textContent = given.error;
  find("#shown").classList.toggle("old", Boolean(given.error));
  find("[data-copies=text]").hidden = !given.text;
  if (given.error) return;
  answer = given;
  const checked = [...document.querySelectorAll("#shown .choices :checked")].map((box) => `.${box.className}`);
  // All of it is escaped by lect, and the policy of this page lets nothing else run.
  find("#shown").innerHTML = given.html;
  find("#shown").dataset.view = view();
  for (const box of checked) find("#shown").querySelector(box)?.click();
  find("#code pre").textContent = given.python;
  if (!find("#shown form.steps")) return;
  steps(find("#shown"));
  if (plays) find("#shown .play").click();
  plays = false;
}

function showTokens() {
  show({ html: find("#tokens").innerHTML, python: "" });
  const name = dropped.model ? "./model" : model.value.trim();
  find("#shown pre").textContent = `lect view ${name} --messages chat.json --tokenizer DIR --open`;
}

// The editor: the JSON is what counts, and the turns show it.

function write(value) {
  chat.value = JSON.stringify(value, null, 2);
  ask();
}

function read() {
  const value = JSON.parse(chat.value);
  return { value, messages: Array.isArray(value) ? value : (value.messages ||= []) };
}

function draw() {
  const { value, messages } = read();
  turns.replaceChildren(...messages.map((message, number) => {
    const turn = find("#turn").content.cloneNode(true);
    const [role, text, remove] = ["select", "textarea", "button"].map((name) => turn.querySelector(name));
    const isText = typeof message.content === "string";
    role.append(...[...new Set([...ROLES, String(message.role)])].map((name) => new Option(name, name, false, name === message.role)));
    text.value = isText ? message.content : "";
    text.hidden = !isText;
    text.setAttribute("aria-label", `content of turn ${number + 1}`);
    role.setAttribute("aria-label", `role of turn ${number + 1}`);
    remove.setAttribute("aria-label", `remove turn ${number + 1}`);
    turn.querySelector(".more").hidden = isText && Object.keys(message).length === 2;
    role.addEventListener("change", () => { message.role = role.value; write(value); draw(); });
    text.addEventListener("input", () => { message.content = text.value; write(value); });
    remove.addEventListener("click", () => { messages.splice(number, 1); write(value); draw(); });
    turn.firstElementChild.classList.add(`role-${ROLES.includes(message.role) ? message.role : "other"}`);
    return turn;
  }));
}

function edit(mode) {
  if (mode === "turns") {
    try {
      draw();
    } catch {
      find("[name=editor][value=json]").checked = true;
      return;
    }
  }
  turns.hidden = find("#add").hidden = mode !== "turns";
  chat.hidden = mode === "turns";
}

function add() {
  const { value, messages } = read();
  messages.push({ role: messages.at(-1)?.role === "user" ? "assistant" : "user", content: "" });
  write(value);
  draw();
  turns.querySelector(".edited:last-child textarea").focus();
}

// Files.

function drop(given) {
  if (!given.length) return;
  files = [...given];
  if (busy) waiting = true;
  begin();
  worker.postMessage({ files });
  find("#dropped span").textContent = files.map((file) => file.name).join(", ");
  find("#dropped").hidden = false;
  model.disabled = files.some((file) => file.name !== TOKENIZER);
}

function undrop() {
  files = [];
  dropped = {};
  find("#dropped").hidden = true;
  find("#files").value = "";
  model.disabled = false;
  ask();
}

function choose() {
  for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(view());
  find("#code").hidden = view() === "tokens";
  find("[data-copies=text]").hidden = true;
  ask();
}

function listen() {
  for (const field of [model, against, reply, chat, find("#asks")]) field.addEventListener("input", ask);
  reply.addEventListener("paste", () => { plays = true; });
  find("#fields").addEventListener("submit", (event) => event.preventDefault());
  find("#add").addEventListener("click", add);
  find("#stop").addEventListener("click", stop);
  find("#dropped button").addEventListener("click", undrop);
  find("#files").addEventListener("change", (event) => drop(event.target.files));
  for (const box of document.querySelectorAll("[name=view]")) box.addEventListener("change", choose);
  for (const box of document.querySelectorAll("[name=editor]")) box.addEventListener("change", () => edit(box.value));
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(answer[button.dataset.copies]);
      const label = button.textContent;
      button.textContent = "copied";
      setTimeout(() => { button.textContent = label; }, 1200);
    });
  }
  const over = (event) => { event.preventDefault(); document.body.classList.toggle("over", event.type === "dragover"); };
  for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, over);
  document.addEventListener("drop", (event) => drop(event.dataTransfer.files));
}

if (location.protocol === "file:") {
  find("#loading").hidden = true;
  say("This page was opened as a file, where browsers let no page run Python: put its folder on any web server.");
} else {
  reply.value = REPLY;
  answer = { python: find("#code pre").textContent };
  draw();
  listen();
  find("#code").open = innerWidth >= 1000;
  start(true);
}
