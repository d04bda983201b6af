#!/usr/bin/env node
// Syntax that Node 0.12 reads, so that an old Node can say what is wrong with it. Only what comes after the check may be newer.
'use strict'
// A copy of the check in server/bin/holdfast.cjs: this package runs before any other is installed. `npm run check` compares the number.

var NODE_MAJOR_MIN = 24

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  process.stderr.write(
    '\nHoldfast needs Node ' +
      NODE_MAJOR_MIN +
      ' or later, and this is Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\nInstall a newer one from https://nodejs.org.\n',
  )
  process.exit(1)
}

require('./create.cjs')
