import { expect, test } from 'vitest'
import type { TablePolicy } from '@holdfast/protocol'
import { policiesInForce } from './policies-in-force.ts'

const policy = (name: string, roles: readonly string[], isPermissive = true): TablePolicy => ({
  name,
  command: 'all',
  isPermissive,
  roles,
  using: 'true',
  check: null,
})
const policies = [policy('everyone', ['public']), policy('users', ['authenticated']), policy('limit', ['anon'], false)]
const user = { kind: 'user', id: 'x' } as const
const names = (given: Parameters<typeof policiesInForce>): readonly string[] =>
  policiesInForce(...given).policies.map(({ name }) => name)

test('policies of a user are those of authenticated and of every role', () => {
  expect(names([{ rls: 'on', policies }, user])).toEqual(['everyone', 'users'])
  expect(names([{ rls: 'on', policies }, { kind: 'anon' }])).toEqual(['everyone', 'limit'])
})

test('the project’s role passes them unless they are forced', () => {
  expect(policiesInForce({ rls: 'on', policies }, { kind: 'postgres' }).rule).toBe('owner')
  expect(names([{ rls: 'forced', policies }, { kind: 'postgres' }])).toEqual(['everyone'])
})

test('restrictive policies alone give no rows', () => {
  expect(policiesInForce({ rls: 'on', policies: policies.slice(2) }, { kind: 'anon' }).rule).toBe('nothing')
  expect(policiesInForce({ rls: 'off', policies: [] }, { kind: 'anon' }).rule).toBe('open')
})
