/**
 * Finds classes with more than {@link MUTABLE_FIELDS_MAX} mutable fields; exits 1 with a line per offence. Such a class should keep its state in one value
 * with pure transitions, like `services/sync/src/stream/session-phase.ts`, or be split.
 */
import { globSync, readFileSync } from 'node:fs'
import { listMutableFields, MUTABLE_FIELDS_MAX } from './mutable-fields.ts'

const files = globSync('{apps,bench,clients,platform,sample,scripts,server,services,tests}/**/*.{ts,tsx}', {
  exclude: (path) => /(^|\/)(node_modules|dist|\.cache)$/.test(path),
})

const classes = files.flatMap((file) =>
  listMutableFields(readFileSync(file, 'utf8'), file).map((one) => ({ ...one, file })),
)
const offences = classes.filter(({ mutable }) => mutable.length > MUTABLE_FIELDS_MAX)
for (const { file, name, mutable } of offences)
  console.error(
    `${file}: ${name ?? 'a class'} has ${mutable.length} mutable fields (${mutable.join(', ')}); at most ${MUTABLE_FIELDS_MAX} are allowed. Keep its state in one value with pure transitions, or split it`,
  )
if (offences.length > 0) process.exit(1)
console.log(`classes: ${classes.length}, each with at most ${MUTABLE_FIELDS_MAX} mutable fields`)
