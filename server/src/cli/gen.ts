import { HoldfastError } from '@holdfast/foundation'
import type { SchemaDescriptor } from '@holdfast/protocol'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { genDeclarations, type GenConfig } from '../config/options.ts'
import { renderAppSchema } from '../types/render-app-schema.ts'
import { renderTypes } from '../types/render-types.ts'
import { sourcesOf, type CommandInput } from './command.ts'
import { connectTo } from './sync/connection.ts'
import { withProjectDatabase } from './with-database.ts'

/**
 * `holdfast gen types`: prints types of the database. `--lang=typescript` is the module for supabase-js, read from the database whether or not the server is
 * running; `--lang=powersync` is the schema of a device's database, from a running server.
 *
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid`, `schema_unknown`, errors of opening the database and querying the server
 */
export async function generateTypes(input: CommandInput): Promise<number> {
  const [lang = input.flags['lang']] = input.words // a positional argument, as in the ecosystem's CLI
  const flags = lang === undefined ? input.flags : { ...input.flags, lang }
  const { config } = await loadProjectConfig(genDeclarations, sourcesOf({ ...input, flags }))
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
