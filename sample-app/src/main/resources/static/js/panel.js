// One side of the page: the run without the lock, or with it.

import { Holds } from "./holds.js";
import { InstanceList } from "./instances.js";
import { Timeline } from "./timeline.js";
import { count, seconds, setText, shortened } from "./format.js";

const STATES = {
  none: "not run yet",
  starting: "starting",
  selling: "selling",
  done: "done",
  failed: "failed",
};

/** Texts by the place of the locks. */
const RULES = {
  IN_REDIS: "refuses a write whose token is smaller than the fence",
  IN_DATABASE: "has the lock in the table beside it: only its owner can commit",
};

const PLACES = {
  IN_REDIS: "found free in Redis",
  IN_DATABASE: "found free in PostgreSQL",
};

/** How long the timeline shows a fault that has been told. */
const TOLD_MILLIS = 6000;

export class Panel {

  constructor(root, lock) {
    this.root = root;
    this.lock = lock;
    this.holds = new Holds();
    this.timeline = new Timeline(this.field("timeline"), lock);
    this.instances = new InstanceList(this.field("instances"), lock);
    this.state = "none";
  }

  field(name) {
    return this.root.querySelector(`[data-field="${name}"]`);
  }

  set(name, text) {
    const element = this.field(name);
    if (element) {
      setText(element, text);
    }
  }

  show(run, events) {
    if (run.state === "starting" && this.state !== "starting") {
      this.holds.clear();
      this.telling = false;
    }
    this.state = run.state;
    this.startedAt = performance.now() - run.millis;
    this.holds.add(events);
    this.root.classList.toggle("earlier", run.earlier);
    this.showState(run);
    this.showPlace(run.locks);
    if (run.state !== "none") {
      this.showFigures(run);
    }
    this.showVerdict(run);
    this.instances.show(run, this.holds);
    this.timeline.show(run, this.holds);
  }

  showState({ state, earlier }) {
    const elapsed = Math.floor((performance.now() - this.startedAt) / 1000);
    this.set("state", earlier ? "earlier run" : STATES[state] + (state === "starting" ? `, ${elapsed} s` : ""));
  }

  showPlace(locks) {
    this.set("rule", RULES[locks]);
    this.set("place", PLACES[locks]);
    this.root.querySelector(".fence")?.toggleAttribute("hidden", locks === "IN_DATABASE");
  }

  showFigures({ state, figures, stock, buyers, millis, handOffs }) {
    this.set("orders", count(figures.orders));
    this.set("left", count(figures.left));
    this.set("left-copy", count(figures.left));
    this.set("oversold", count(figures.oversold));
    this.set("duplicates", count(figures.duplicates));
    this.set("time", seconds(state === "starting" ? 0 : millis));
    this.set("fence", shortened(figures.fence));
    this.set("inside", count(handOffs.inside));
    this.set("between", count(handOffs.between));
    this.set("store", count(handOffs.store));
    this.set("lost", count(handOffs.lost));
    this.alarm("oversold", figures.oversold);
    this.alarm("duplicates", figures.duplicates);
    const whole = Math.max(buyers, stock, 1);
    this.field("gauge-sold").style.width = (100 * Math.min(figures.orders, stock)) / whole + "%";
    this.field("gauge-over").style.width = (100 * figures.oversold) / whole + "%";
    this.field("gauge-mark").style.left = `calc(${(100 * stock) / whole}% - 2px)`;
    this.field("gauge").setAttribute("aria-label", `${figures.orders} orders for ${stock} tickets`);
  }

  alarm(name, number) {
    const list = this.field(name).parentElement.classList;
    list.toggle("on", number > 0);
    list.toggle("off", number === 0);
  }

  showVerdict(run) {
    const { text, kind } = this.verdict(run);
    const element = this.field("verdict");
    setText(element, text);
    element.classList.toggle("good", kind === "good");
    element.classList.toggle("bad", kind === "bad");
  }

  verdict({ state, figures, failure, stock }) {
    if (state === "failed") {
      return { text: "The run failed: " + failure, kind: "bad" };
    }
    if (figures.oversold > 0) {
      return { text: `${count(figures.oversold)} tickets sold that do not exist`, kind: "bad" };
    }
    if (state === "done") {
      return figures.orders === stock
        ? { text: "Every ticket was sold exactly once", kind: "good" }
        : { text: "Not one ticket too many", kind: "good" };
    }
    return { text: state === "selling" ? "Not one ticket too many so far" : "Waiting for the sale", kind: "" };
  }

  /** Shows a fault: for longer, and what the database refused. */
  tell(story) {
    this.root.querySelector(".row").classList.toggle("refusing", story.steps.some(({ kind }) => kind === "refused"));
    this.told = story.done ? (this.told ?? performance.now()) : undefined;
    this.telling = true;
  }

  draw() {
    if (this.state === "starting") {
      this.showState(this);
    }
    const stretched = this.telling && !(this.told < performance.now() - TOLD_MILLIS);
    if (stretched !== this.stretched) {
      this.stretched = stretched;
      this.timeline.stretch(stretched);
      this.set("span", String(this.timeline.seconds));
    }
    this.timeline.draw();
  }

}
