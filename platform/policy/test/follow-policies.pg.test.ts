/**
 * Each form of condition alone in a policy: that it compiles, and to what. Correctness is verified against Postgres by `follow-policies.property.pg.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLASS_FORMS, LINK_FORMS, PERSON_FORMS, ROW_FORMS } from '@holdfast/test-support'
import { openPolicyWorld, type PolicyWorld } from './policy-world.ts'
import type { BucketDefinition, Pin } from '../src/plan.ts'

let world: PolicyWorld

beforeAll(async () => {
  world = await openPolicyWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

function describeDefinition(definition: BucketDefinition): readonly string[] {
  return withoutHashes([
    ...(definition.rowFilter ? [`rows  ${definition.rowFilter.sql}`] : []),
    ...definition.keys.map((key) => `key   ${key.sql}${key.kind === 'elements' ? ' (each element)' : ''}`),
    ...(definition.accessClass
      ? [
          ...(definition.accessClass.link ? [`link  ${definition.accessClass.link.query}`] : []),
          `class ${definition.accessClass.condition}`,
        ]
      : [`query ${definition.keyQuery}`]),
    ...definition.dependencies.map(
      ({ name, columns, pin }) => `reads ${name} (${columns.join(', ')})${pin ? describePin(pin) : ''}`,
    ),
  ])
}

const KEY_NAMES = /key_[0-9a-f]{16}/g

/** Names of key functions are hashes that include the owner, which differs per run. */
function withoutHashes(lines: readonly (string | undefined)[]): readonly string[] {
  return lines.map((line) => (line ?? '').replaceAll(KEY_NAMES, 'key_…'))
}

describe.each([
  ['the row', ROW_FORMS],
  ['the person', PERSON_FORMS],
  ['both', LINK_FORMS],
  ['both, by no equality', CLASS_FORMS],
])('a condition on %s', (_, forms) => {
  test.each(forms)('%s', async (form) => {
    await world.run(
      'drop policy if exists form on public.items',
      `create policy form on public.items for select to authenticated using (${form})`,
    )
    const plan = await world.compile()
    const items = plan.tables.find((table) => table.name === 'items')
    expect(plan.refused.find((table) => table.name === 'items')?.reason).toBeUndefined()
    expect([
      ...(items?.definitions.map(describeDefinition) ?? []),
      ...withoutHashes(plan.keyFunctions.map((f) => f.statements[0])),
    ]).toMatchSnapshot()
  })
})

function describePin(pin: Pin): string {
  return 'claimSql' in pin
    ? ` where ${pin.column} = ${pin.claimSql}`
    : ` where ${pin.column} in (${pin.valuesSql.replaceAll(KEY_NAMES, 'key_…')})`
}
