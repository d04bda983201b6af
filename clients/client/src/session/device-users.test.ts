import { expect, test } from 'vitest'
import { memoryStore } from '../key-value.ts'
import { openDeviceUsers } from './device-users.ts'

const ann = { id: 'a', email: 'ann@example.org' }
const bob = { id: 'b', email: undefined }

test('the people of a device are known at the next start, the last one first, with what they left unsent', async () => {
  const store = memoryStore()
  let nowMs = 1
  const first = openDeviceUsers(store, () => nowMs++)
  await Promise.all([first.remember(ann), first.remember(bob), first.rememberUnsent('a', 3), first.remember(ann)])
  const second = openDeviceUsers(store, () => nowMs++)
  await second.rememberUnsent('nobody', 1)
  expect(second.people.get()).toEqual([
    { ...ann, usedAtMs: 3, unsent: 3, isSignedOut: false, isLocked: false },
    { id: 'b', usedAtMs: 2, unsent: 0, isSignedOut: false, isLocked: false },
  ])
  await second.forget('a')
  await first.remember(bob)
  expect(first.people.get().map(({ id }) => id)).toEqual(['b'])
})

test('a person who signed out is known as such until they sign in again', async () => {
  const store = memoryStore()
  const { people, remember, rememberSignOut, isSignedOut } = openDeviceUsers(store, () => 1)
  await remember(ann)
  expect(await isSignedOut('a')).toBe(false)
  await rememberSignOut('a')
  expect(await isSignedOut('a')).toBe(true)
  expect(await openDeviceUsers(store, () => 1).isSignedOut('a')).toBe(true)
  await remember(ann)
  expect(people.get()).toMatchObject([{ id: 'a', isSignedOut: false }])
})

test('a person of whom an older version noted nothing counts as signed out', async () => {
  const store = memoryStore()
  await store.setItem('holdfast-people', JSON.stringify([{ ...ann, usedAtMs: 1, unsent: 2 }]))
  expect(await openDeviceUsers(store, () => 1).isSignedOut('a')).toBe(true)
})

test('a list that cannot be read is an empty one', async () => {
  const store = memoryStore()
  await store.setItem('holdfast-people', '{"half')
  const { people, remember } = openDeviceUsers(store, () => 1)
  await remember(ann)
  expect(people.get()).toHaveLength(1)
})

test('a store that cannot be read at the start is read again when somebody comes', async () => {
  const store = memoryStore()
  let isClosed = true
  const closed = {
    ...store,
    getItem: (key: string) => (isClosed ? Promise.reject(new Error('closed')) : store.getItem(key)),
  }
  const { people, remember } = openDeviceUsers(closed, () => 1)
  await new Promise((resolve) => setImmediate(resolve))
  isClosed = false
  await remember(ann)
  expect(people.get()).toHaveLength(1)
})
