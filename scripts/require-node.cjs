// Syntax that every Node reads: npm scripts begin with this file, so that an old Node can say what is wrong.
'use strict'

var NODE_MAJOR_MIN = 24

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  process.stderr.write(
    '\nThe scripts of this repository need Node ' +
      NODE_MAJOR_MIN +
      ' or later, and this is Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      (process.platform === 'darwin'
        ? 'Install a newer one from https://nodejs.org.\n'
        : 'On Linux and Windows "npm ci" installs it with the optional packages: run "npm ci" again, with them, or install a newer Node from https://nodejs.org.\n'),
  )
  process.exit(1)
}
