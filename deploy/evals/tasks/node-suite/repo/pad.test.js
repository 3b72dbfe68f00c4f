"use strict";

const assert = require("node:assert");
const { test } = require("node:test");
const { pad } = require("./pad.js");

test("fills up", () => assert.strictEqual(pad(7, 3), "007"));
test("never cuts", () => assert.strictEqual(pad(1234, 3), "1234"));
