import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { variableName } from './names.ts'
import { options } from './options.ts'

const KNOWN = new Set(Object.entries(options).map(([name, declaration]) => variableName(name, declaration)))

test.each(['Containerfile', 'holdfast.service', 'several-machines/compose.yml', 'several-machines/kubernetes.yaml'])(
  'deploy/%s sets only variables that exist',
  (file) => {
    const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8')
    const named = new Set(text.match(/\b(?:HOLDFAST_[A-Z0-9_]+|DATABASE_URL|NATS_URL)\b/gu))
    expect(named.size).toBeGreaterThan(0)
    expect([...named].filter((name) => !KNOWN.has(name))).toEqual([])
  },
)
