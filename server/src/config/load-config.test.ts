import { describe, expect, test } from 'vitest'
import type { OptionDeclarations } from '@holdfast/foundation'
import { loadConfig, type ConfigSources, type Flags } from './load-config.ts'
import { options } from './options.ts'

const declarations = {
  port: { type: 'integer', default: 54_321, min: 0, max: 65_535, description: 'The port.' },
  dataDir: { type: 'string', default: '.data', description: 'The folder.' },
  sample: { type: 'boolean', default: false, description: 'A sample.' },
  confirm: { type: 'boolean', default: true, description: 'Confirms.' },
  schemas: { type: 'list', default: ['public'], description: 'Schemas.' },
  databaseUrl: { type: 'string', env: 'DATABASE_URL', secret: true, description: 'A database.' },
  configFile: { type: 'string', default: 'config.json', description: 'The file.' },
} satisfies OptionDeclarations

function load(
  sources: Partial<Omit<ConfigSources, 'readFile'>> & { readonly file?: string; readonly fileName?: string },
) {
  const { flags = {}, env = {}, file, fileName = 'config.json' } = sources
  return loadConfig(declarations, { flags, env, readFile: (path) => (path === fileName ? file : undefined) })
}

describe('settings by name', () => {
  const withObject = { ...declarations, rooms: { type: 'object', default: {}, description: 'Rooms.' } } as const
  const rooms = (flags: Flags, file?: string): unknown =>
    loadConfig(withObject, { flags, env: {}, readFile: () => file }).rooms

  test('are an object in the file, and JSON elsewhere', () => {
    expect(rooms({})).toEqual({})
    expect(rooms({}, '{"rooms": {"a": {"seats": 3}}}')).toEqual({ a: { seats: 3 } })
    expect(rooms({ rooms: '{"b": {}}' }, '{"rooms": {"a": {}}}')).toEqual({ b: {} })
  })

  test.each(['{', '[]', 'null'])('are refused as %s', (text) => {
    expect(() => rooms({ rooms: text })).toThrow('--rooms')
  })
})

describe('loadConfig', () => {
  test('has the defaults when nothing is said', () => {
    expect(load({})).toEqual({
      port: 54_321,
      dataDir: '.data',
      sample: false,
      confirm: true,
      schemas: ['public'],
      databaseUrl: undefined,
      configFile: 'config.json',
    })
  })

  test('takes the command line before the environment, that before the file, that before the default', () => {
    const file = '{"port": 1, "dataDir": "file", "schemas": ["a"]}'
    expect(load({ file })).toMatchObject({ port: 1, dataDir: 'file', schemas: ['a'] })
    const env = { HOLDFAST_PORT: '2', HOLDFAST_SCHEMAS: 'b, c', HOLDFAST_DATA_DIR: '' }
    expect(load({ file, env })).toMatchObject({ port: 2, dataDir: 'file', schemas: ['b', 'c'] })
    expect(load({ file, env, flags: { port: '3', schemas: 'd' } })).toMatchObject({ port: 3, schemas: ['d'] })
  })

  test('reads variables by the name that is declared', () => {
    expect(load({ env: { DATABASE_URL: 'postgres://x' } }).databaseUrl).toBe('postgres://x')
  })

  test.each([
    [{ flags: { prot: '1' } }, 'option_unknown', '--prot is not an option.', 'Did you mean --port?'],
    [{ flags: { port: 'many' } }, 'option_invalid', '--port: "many" is not a whole number.', 'The port.'],
    [{ flags: { port: '70000' } }, 'option_invalid', '--port: 70000 is not between 0 and 65535.', 'The port.'],
    [
      { env: { HOLDFAST_SAMPLE: 'maybe' } },
      'option_invalid',
      'HOLDFAST_SAMPLE: "maybe" is neither true nor false.',
      'A sample.',
    ],
    [{ file: '{"nonsense": 1}' }, 'option_unknown', undefined, 'Run "holdfast options" for a list.'],
    [{ env: { HOLDFAST_PORT: '1e3' } }, 'option_invalid', 'HOLDFAST_PORT: "1e3" is not a whole number.', 'The port.'],
    [{ file: '{"prot": 1}' }, 'option_unknown', '"prot" in config.json is not an option.', 'Did you mean port?'],
    [{ file: '{"port": "1"}' }, 'option_invalid', '"port" in config.json: "1" is not a whole number.', 'The port.'],
    [{ file: '{"sample": 1}' }, 'option_invalid', '"sample" in config.json: 1 has the wrong type.', undefined],
    [{ file: '{' }, 'config_file_invalid', 'The config file config.json is not valid JSON.', undefined],
    [{ file: '[]' }, 'config_file_invalid', 'The config file config.json does not hold an object.', undefined],
    [
      { flags: { configFile: 'gone.json' } },
      'config_file_invalid',
      'The config file gone.json does not exist.',
      undefined,
    ],
  ])('refuses %j by name', (sources, code, message, hint) => {
    let thrown: unknown
    try {
      load(sources)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code, ...(message !== undefined && { message }) })
    if (hint !== undefined) expect(thrown).toMatchObject({ hint })
  })

  test('has no option twice and every default in its own range', () => {
    const values = loadConfig(options, { flags: {}, env: {}, readFile: () => undefined })
    for (const [name, declaration] of Object.entries(options)) {
      if (declaration.type !== 'integer') continue
      const value = (values as Readonly<Record<string, unknown>>)[name]
      expect(value, name).toBeGreaterThanOrEqual(declaration.min)
      expect(value, name).toBeLessThanOrEqual(declaration.max)
    }
  })
})
