"use strict";

/** A number as text of at least `width` characters, filled up with zeros. */
function pad(number, width) {
  return ("0".repeat(width) + number).slice(-width);
}

module.exports = { pad };
