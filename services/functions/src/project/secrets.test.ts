import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { discoverProject } from './discover.ts'
import { readSecrets } from './secrets.ts'

test('the first secret of a file with a byte order mark has its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '.env'), '\uFEFFMAIL_KEY=a\r\nOTHER=1\r\n')
  expect(readSecrets({}, join(folder, '.env'), () => undefined, silentLogger)).toEqual({ MAIL_KEY: 'a', OTHER: '1' })
})

test('secrets of config.toml name variables of the environment, and of the dotenv files of the project', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'supabase')
  const directory = join(folder, 'functions')
  const files = {
    'config.toml': '[edge_runtime.secrets]\nA = "env(A)"\nB = "env(B)"\nC = "env(C)"\nD = "env(D)"\nE = "env(E)"\n',
    '.env': 'B=beside\nE=beside\n',
    '../.env': 'B=above\nC=above # of the app, too\n',
    'functions/.env': 'E=of functions\n',
    'functions/hello/index.ts': '',
  }
  mkdirSync(join(directory, 'hello'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const overrides = { verifyJwt: true, importMap: undefined }
  const project = { directory, configFile: join(folder, 'config.toml'), envFile: join(directory, '.env'), overrides }
  const { secrets } = await discoverProject(project, { A: 'of the server' }, silentLogger)
  expect(secrets).toEqual({ A: 'of the server', B: 'beside', C: 'above', E: 'of functions' })
})
