import { describe, expect, test } from 'vitest'
import { parseFunctionsConfig } from './config.ts'

const PATH = '/project/supabase/config.toml'

describe('parseFunctionsConfig', () => {
  test('reads functions, with paths from the folder of the file, and secrets', async () => {
    const text = `
      project_id = "northline"
      [edge_runtime]
      policy = "oneshot"
      inspector_port = 9229
      [edge_runtime.secrets]
      KEY = "env(KEY)"
      [functions.hook]
      verify_jwt = false
      entrypoint = "./functions/hook/main.ts"
      import_map = "./functions/import_map.json"
      [functions.off]
      enabled = false
    `
    const config = await parseFunctionsConfig(text, PATH)
    expect(config).toMatchObject({ enabled: true, isOneshot: true, inspectorPort: 9229 })
    expect(config.secrets).toEqual({ KEY: 'env(KEY)' })
    expect(config.functions.get('hook')).toEqual({
      enabled: true,
      verifyJwt: false,
      entrypoint: '/project/supabase/functions/hook/main.ts',
      importMap: '/project/supabase/functions/import_map.json',
    })
    expect(config.functions.get('off')).toMatchObject({ enabled: false, verifyJwt: true })
  })

  test.each([
    '[functions',
    '[edge_runtime]\npolicy = "once"',
    '[functions.a]\nverify_jwt = "no"',
    '[functions.a]\nentrypoint = 3',
    'functions = 3',
  ])('refuses %j, so that no function is served with fewer checks than were meant', async (text) => {
    await expect(parseFunctionsConfig(text, PATH)).rejects.toMatchObject({ code: 'functions_config_invalid' })
  })
})
