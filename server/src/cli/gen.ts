import { HoldfastError } from '@holdfast/foundation'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { genDeclarations, type GenConfig } from '../config/options.ts'
import { renderAppSchema } from '../types/render-app-schema.ts'
import { renderTypes } from '../types/render-types.ts'
import { readOrUndefined, type CommandInput } from './command.ts'
import { connectTo } from './sync/connection.ts'
import { withProjectDatabase } from './with-database.ts'

/**
 * `holdfast gen types`: writes the types of the database to stdout. `--lang=typescript` is the module for supabase-js, read from the database whether the server runs
 * or not; `--lang=powersync` is the schema of a device's database, which a running server knows.
 *
 * @returns the exit code
 * @throws {HoldfastError} `command_unknown`, `option_invalid`, `schema_unknown`, those of opening the database and of asking a server
 */
export async function gen(input: CommandInput): Promise<number> {
  const [command, ...given] = input.argv
  if (command !== 'types') {
    throw new HoldfastError(
      'command_unknown',
      500,
      `"${['gen', ...(command === undefined ? [] : [command])].join(' ')}" is not a command.`,
      {
        hint: 'There is "holdfast gen types".',
      },
    )
  }
  // As the ecosystem's CLI takes it: the language as a word, `-s` for a schema, and which database is meant.
  const [first, ...more] = given
  const isWord = first !== undefined && !first.startsWith('-')
  const argv = [...(isWord ? [`--lang=${first}`, ...more] : given)]
    .filter((one) => one !== '--local')
    .map((one) => (one === '-s' ? '--schema' : one))
  const { config } = await loadProjectConfig(genDeclarations, { argv, env: input.env, readFile: readOrUndefined })
  const text = await write(config)
  input.out(config.json ? `${JSON.stringify({ types: text })}\n` : text)
  return 0
}

async function write(config: GenConfig): Promise<string> {
  if (config.lang === 'powersync')
    return renderAppSchema(await connectTo(config, 'authenticated').json<SchemaDescriptor>('/sync/v1/schema'), config)
  if (config.lang !== 'typescript') {
    throw new HoldfastError('option_invalid', 500, `--lang: "${config.lang}" is not a language.`, {
      hint: 'Use typescript or powersync.',
    })
  }
  return await withProjectDatabase(config, (url) => renderTypes(url, config))
}
