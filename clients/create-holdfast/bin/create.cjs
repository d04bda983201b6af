'use strict'
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { basename, join, resolve } = require('node:path')
const { parseArgs } = require('node:util')

const TEMPLATE = join(__dirname, '../template')
const USAGE = 'npm create holdfast FOLDER, with -- --packages=FOLDER for tarballs that are not in a registry'

/** npm packs no file of these names. */
const RENAMED = { _gitignore: '.gitignore' }

function fail(message, hint) {
  process.stderr.write(`\n${message}\n${hint}\n`)
  process.exit(1)
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { packages: { type: 'string' } } })
    if (positionals.length > 1) fail('There is more than one folder.', USAGE)
    return { folder: resolve(positionals[0] ?? 'my-app'), packages: values.packages }
  } catch (error) {
    return fail(error.message, USAGE)
  }
}

/** A name that npm accepts, from that of the folder. */
function packageName(folder) {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9~-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'my-app' : name
}

/** The packages of Holdfast as tarballs of a folder. */
function fromTarballs(dependencies, packages) {
  const files = readdirSync(packages)
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
      const isOurs = name === 'holdfast' || name.startsWith('@holdfast/')
      if (isOurs && !files.includes(file))
        fail(`${packages} has no ${file}.`, '"npm run packages" makes it in a checkout.')
      return [name, isOurs ? `file:${resolve(packages, file)}` : version]
    }),
  )
}

const { folder, packages } = readArguments()
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty.`, 'Choose another folder.')
if (packages !== undefined && !existsSync(packages)) fail(`${packages} does not exist.`, USAGE)

mkdirSync(folder, { recursive: true })
cpSync(TEMPLATE, folder, { recursive: true })
for (const [from, to] of Object.entries(RENAMED)) renameSync(join(folder, from), join(folder, to))

const manifestFile = join(folder, 'package.json')
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
manifest.name = packageName(folder)
if (packages !== undefined)
  for (const field of ['dependencies', 'devDependencies']) manifest[field] = fromTarballs(manifest[field], packages)
writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)

process.stdout.write(`Created ${folder}. Now:\n\n  cd ${JSON.stringify(folder)}\n  npm install\n  npm run dev\n`)
