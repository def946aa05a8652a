// Listens to the sale and gives each part of the page its share.

import { Controls } from "./controls.js";
import { Panel } from "./panel.js";
import { Story } from "./story.js";
import { setText } from "./format.js";

const without = new Panel(document.getElementById("without"), false);
const locked = new Panel(document.getElementById("with"), true);
const controls = new Controls();
const story = new Story();
const connection = document.getElementById("connection");

function show(board) {
  without.show(board.without, board.events.filter((event) => !event.lock));
  locked.show(board.with, board.events.filter((event) => event.lock));
  story.show(board.story[0], locked);
  controls.show(board);
}

function listen() {
  const source = new EventSource("sale/events");
  source.onopen = () => connected(true);
  source.onerror = () => connected(false);
  source.onmessage = (message) => show(JSON.parse(message.data));
}

function connected(on) {
  connection.classList.toggle("on", on);
  setText(connection, on ? "live" : "the shop does not answer; trying again");
}

function draw() {
  without.draw();
  locked.draw();
  requestAnimationFrame(draw);
}

listen();
requestAnimationFrame(draw);
