// Texts for numbers and tokens.

export function count(number) {
  return number.toLocaleString("en-US");
}

export function seconds(millis) {
  return (millis / 1000).toFixed(1) + " s";
}

/** Tokens of one sale differ in their last digits. */
export function shortened(token) {
  return token.length <= 6 ? token : "…" + token.slice(-6);
}

/** Set the text only where it differs, so that nothing is read out or laid out in vain. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
