import type { HoldfastError } from '@holdfast/foundation'
import { queryTooComplex } from '../errors.ts'
import { JSON_STEPS_MAX } from '../limits.ts'
import type { EmbedPath, Field, JsonStep } from './api-request.ts'
import type { Scanner } from './scanner.ts'

const NAME_PART = /[\p{L}\p{Nd}_ $]+/uy
const JSON_KEY_PART = /[^(\-:.,>)]+/uy
const FIELD_NAME = 'field name (* or [a..z0..9_$])'
const JSON_OPERAND = '"-", digit or any non reserved character different from: .,>()'
const QUOTED = /"((?:[^\\"]|\\[\s\S])*)"/uy
const JSON_INDEX = /-?[0-9]+(?=->|::|[.,)]|$)/uy

/** Parses a name: letters, digits, `_`, `$`, spaces and inner dashes, or any characters between double quotes. */
export function parseFieldName(scanner: Scanner): string {
  const name = parseQuoted(scanner) ?? parseDashed(scanner, NAME_PART)
  if (!name) throw scanner.failure(FIELD_NAME)
  return name
}

/** Parses text between double quotes with backslash escapes; `undefined` without a quote here. */
export function parseQuoted(scanner: Scanner): string | undefined {
  const quoted = scanner.match(QUOTED)
  return quoted?.[1]?.replaceAll(/\\([\s\S])/gu, '$1')
}

/** Parses `->a->>b`; empty without an arrow. */
export function parseJsonPath(scanner: Scanner): JsonStep[] {
  const steps: JsonStep[] = []
  for (;;) {
    const arrow = scanner.take('->>') ? '->>' : scanner.take('->') ? '->' : undefined
    if (arrow === undefined) return steps
    if (steps.length === JSON_STEPS_MAX) throw queryTooComplex(`A JSON path may have ${JSON_STEPS_MAX} steps.`)
    const index = scanner.match(JSON_INDEX)
    if (index) {
      steps.push({ arrow, operand: { kind: 'index', index: index[0] } })
      continue
    }
    if (scanner.peek() === '-') throw brokenIndex(scanner)
    const key = parseQuoted(scanner) ?? parseDashed(scanner, JSON_KEY_PART, JSON_OPERAND)
    if (!key) throw scanner.failure(JSON_OPERAND)
    steps.push({ arrow, operand: { kind: 'key', key } })
  }
}

/** Returns the error for a dash that starts no valid index. */
function brokenIndex(scanner: Scanner): HoldfastError {
  scanner.position++
  const digits = scanner.match(/[0-9]+/y)
  return scanner.failure(digits ? 'digit, "->", "::", ".", "," or end of input' : 'digit')
}

/** Parses a column and its JSON path, with surrounding spaces. */
export function parseField(scanner: Scanner): Field {
  scanner.skipSpace()
  const name = parseFieldName(scanner)
  const path = parseJsonPath(scanner)
  scanner.skipSpace()
  return { name, path }
}

/** Parses the key of a filter: `clients.name` is the column `name` of the embed `clients`. */
export function parseTreePath(scanner: Scanner): { readonly path: EmbedPath; readonly field: Field } {
  const names = [parseFieldName(scanner)]
  while (scanner.take('.')) names.push(parseFieldName(scanner))
  const path = parseJsonPath(scanner)
  if (!scanner.atEnd()) throw scanner.failure('"->", "->>", delimiter (.) or end of input')
  return { path: names.slice(0, -1), field: { name: names.at(-1) ?? '', path } }
}

/** Parses `a,b,"c d"`. */
export function parseColumns(scanner: Scanner): string[] {
  const columns: string[] = []
  do {
    scanner.skipSpace()
    columns.push(parseFieldName(scanner))
    scanner.skipSpace()
  } while (scanner.take(','))
  if (!scanner.atEnd()) throw scanner.failure('"," or end of input')
  return columns
}

/** Returns whether a name can start here. */
export function startsFieldName(scanner: Scanner): boolean {
  return /["\p{L}\p{Nd}_ $]/u.test(String.fromCodePoint(scanner.text.codePointAt(scanner.position) ?? 44))
}

/** Parses parts joined by dashes. A dash that starts an arrow ends the name. */
function parseDashed(scanner: Scanner, part: RegExp, expecting = FIELD_NAME): string {
  const parts: string[] = []
  for (;;) {
    const found = scanner.match(part)
    if (!found) throw scanner.failure(expecting)
    parts.push(found[0].trim())
    if (scanner.peek() !== '-' || scanner.text[scanner.position + 1] === '>') return parts.join('-')
    scanner.position++
  }
}
