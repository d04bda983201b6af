import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { readSqlFile } from '../../project/run-file.ts'

/** File extensions of tests, including `x.test.sql`. */
const ENDING = /\.(?:sql|pg)$/
/** Maximum include depth. */
const INCLUDES_MAX = 20

/** psql commands at the start of a line. */
const META = /^\\(\w+)\s*(.*?)\s*$/
/** Ignored commands, whose settings are already in effect or irrelevant. */
const IGNORED =
  /^(?:pset\b|timing\b|encoding\b|x\b|a\b|t\b|(?:set|unset) (?:QUIET|ON_ERROR_ROLLBACK|ON_ERROR_STOP|ECHO|VERBOSITY|SHOW_CONTEXT|FETCH_COUNT)\b)/

/**
 * Finds test files in folders recursively, sorted by path.
 *
 * @throws {HoldfastError} `tests_missing`
 */
export function findTestFiles(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    if (!existsSync(path)) throw missing(`${path} does not exist.`)
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => ENDING.test(name))
      .map((name) => join(path, name))
      .filter((file) => statSync(file).isFile())
      .toSorted()
  })
  if (found.length === 0) throw missing(`There is no file *.sql in ${paths.join(', ')}.`)
  return [...new Set(found)]
}

/**
 * Reads a file including `\i` and `\ir`. Other psql commands are not run.
 *
 * @throws {Error} naming the line
 */
export function readTestFile(path: string, depth = 0): string {
  if (depth > INCLUDES_MAX) throw new Error(`${path}: files include each other without end`)
  return readSqlFile(path)
    .split(/\r?\n/)
    .map((line, index) => {
      const [whole, command, argument = ''] = META.exec(line) ?? []
      if (whole === undefined) return line
      const included = argument.replace(/^'(.*)'$/, '$1')
      if (command === 'i' || command === 'include') return readTestFile(resolve(included), depth + 1)
      if (command === 'ir' || command === 'include_relative')
        return readTestFile(resolve(dirname(path), included), depth + 1)
      if (IGNORED.test(line.slice(1))) return ''
      throw new Error(
        `${path}:${index + 1}: \\${command} is a command of psql, and no SQL. Of these only \\i and \\ir are followed.`,
      )
    })
    .join('\n')
}

function missing(message: string): HoldfastError {
  return new HoldfastError('tests_missing', 500, message, {
    hint: 'Tests are files of SQL with pgTAP in supabase/tests: select plan(1); select ok(true); select * from finish();',
  })
}
