#!/bin/sh
# Numbers of any length come out right.
command -v node >/dev/null || exit 77
cd "$1" || exit 1
said=$(node -e 'const { pad } = require("./pad.js"); console.log(pad(5, 1), pad(5, 4), pad(98765, 2))')
[ "$said" = "5 0005 98765" ] || { echo "it says $said"; exit 1; }
