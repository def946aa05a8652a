// Draws the last seconds: a lane for each instance, a bar for each time the lock was held.

const SECONDS = 3;
const SECONDS_OF_A_FAULT = 9;
const LANE_GAP = 8;
const NAME_WIDTH = 22;
const SOURCES = { THIS_INSTANCE: "this", OTHER_INSTANCE: "other" };

export class Timeline {

  constructor(canvas, lock) {
    this.canvas = canvas;
    this.lock = lock;
    this.instances = 0;
    this.selling = false;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.dirty = true));
    addEventListener("resize", () => (this.dirty = true));
    this.seconds = SECONDS;
    this.dirty = true;
  }

  /** A fault takes longer than a hand-off. */
  stretch(on) {
    this.seconds = on ? SECONDS_OF_A_FAULT : SECONDS;
    this.dirty = true;
  }

  show(run, holds) {
    this.instances = run.instances.length;
    this.selling = run.state === "selling";
    this.states = new Map(run.instances.map(({ number, state }) => [number, state]));
    this.holds = holds;
    this.dirty ||= holds.changed;
    holds.changed = false;
  }

  /** Moves while something is sold, and stands still afterwards. */
  draw() {
    if (!this.holds || !(this.dirty || this.selling) || this.instances === 0) {
      return;
    }
    this.dirty = false;
    const context = this.prepare();
    this.end = this.selling ? this.holds.now() : this.holds.latest;
    this.drawLanes(context);
    if (this.lock) {
      this.drawHolds(context);
    }
    else {
      this.drawPurchases(context);
    }
  }

  prepare() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(this.width * ratio)) {
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.style = getComputedStyle(this.canvas);
    return context;
  }

  colour(name) {
    return this.style.getPropertyValue("--" + name).trim();
  }

  x(at) {
    return this.width - ((this.end - at) / (this.seconds * 1e6)) * (this.width - NAME_WIDTH);
  }

  lane(instance) {
    const height = (this.height - LANE_GAP) / this.instances - LANE_GAP;
    return { top: LANE_GAP + (instance - 1) * (height + LANE_GAP), height };
  }

  drawLanes(context) {
    context.font = "600 12px system-ui, sans-serif";
    for (let instance = 1; instance <= this.instances; instance++) {
      const { top, height } = this.lane(instance);
      context.fillStyle = this.colour("line");
      context.globalAlpha = 0.5;
      context.fillRect(NAME_WIDTH, top, this.width, height);
      context.globalAlpha = 1;
      context.fillStyle = this.colour("soft");
      context.fillText(String(instance), 8, top + height / 2 + 4);
    }
  }

  drawHolds(context) {
    const shown = this.holds.inOrder();
    shown.forEach((hold, index) => {
      this.drawHandOff(context, shown[index - 1], hold);
      this.drawHold(context, hold, shown[index + 1]);
    });
  }

  drawHold(context, hold, next) {
    const { top, height } = this.lane(hold.instance);
    const from = Math.max(NAME_WIDTH, this.x(hold.from));
    const { until, colour } = this.bar(hold, next);
    const to = this.x(until);
    if (to < NAME_WIDTH) {
      return;
    }
    context.fillStyle = this.colour(colour);
    context.fillRect(from, top + 3, Math.max(1.5, to - from - 1), height - 6);
    if (hold.refused) {
      context.fillStyle = this.colour("bad");
      context.fillRect(this.x(hold.refused) - 2, top, 4, height);
    }
  }

  /**
   * Where the bar of a hold ends, and its colour. A release is reported when its answer has come; the next holder may
   * have begun by then. Only a process that does not know of its loss holds on beside the next holder: a dead one does not.
   */
  bar(hold, next) {
    const state = hold.to === undefined ? this.states.get(hold.instance) : "";
    const holdsOn = hold.lost || state === "frozen" || state === "cut";
    const until = hold.to ?? this.end;
    return {
      until: next && !holdsOn ? Math.min(until, next.from) : until,
      colour: hold.lost || state === "killed" ? "lost" : SOURCES[hold.source] ?? "store",
    };
  }

  /** A line from lane to lane where the lock went to another instance. */
  drawHandOff(context, previous, hold) {
    if (!previous || previous.instance === hold.instance || this.x(hold.from) < NAME_WIDTH) {
      return;
    }
    const middle = (instance) => this.lane(instance).top + this.lane(instance).height / 2;
    context.strokeStyle = this.colour("other");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(this.x(Math.min(previous.to ?? hold.from, hold.from)), middle(previous.instance));
    context.lineTo(this.x(hold.from), middle(hold.instance));
    context.stroke();
  }

  /** Purchases that overlap lie above each other. */
  drawPurchases(context) {
    const rows = new Map();
    const inOrder = [...this.holds.purchases].sort((one, other) => one.from - other.from);
    context.fillStyle = this.colour("bad");
    for (const purchase of inOrder) {
      const ends = rows.get(purchase.instance) ?? rows.set(purchase.instance, []).get(purchase.instance);
      let row = ends.findIndex((end) => end <= purchase.from);
      row = row < 0 ? ends.length : row;
      ends[row] = purchase.to;
      const { top, height } = this.lane(purchase.instance);
      const step = height / 16;
      const from = Math.max(NAME_WIDTH, this.x(purchase.from));
      const to = this.x(purchase.to);
      if (to > NAME_WIDTH) {
        context.fillRect(from, top + (row % 16) * step, Math.max(1.5, to - from - 1), Math.max(1, step - 1));
      }
    }
  }

}
