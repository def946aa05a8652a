// Tells a fault step by step.

import { seconds, setText } from "./format.js";

const TITLES = {
  FREEZE: "Frozen while it held the lock",
  KILL: "Killed while it held the lock",
  CUT: "Cut off while it held the lock",
  RESTART_REDIS: "Redis restarted without its data",
};

export class Story {

  constructor() {
    this.title = document.getElementById("story-title");
    this.steps = document.getElementById("story-steps");
    this.id = undefined;
  }

  show(story, panel) {
    if (!story) {
      return;
    }
    if (story.id !== this.id) {
      this.id = story.id;
      this.steps.replaceChildren();
    }
    setText(this.title, `Instance ${story.instance}: ${TITLES[story.fault]}`);
    story.steps.slice(this.steps.children.length).forEach((step) => this.steps.append(item(step)));
    panel.tell(story);
  }

}

function item({ kind, millis, text }) {
  const element = document.createElement("li");
  element.className = kind;
  if (kind !== "holds") {
    const time = document.createElement("time");
    time.textContent = "+" + seconds(millis);
    element.append(time);
  }
  element.append(text);
  return element;
}
