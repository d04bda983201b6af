// @vitest-environment happy-dom
import type { Judgement, LocalDatabase, PlannedWrite, WriteRules } from '@holdfast/client'
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useJudgements } from './use-judgements.ts'

/** Nobody deletes notes. */
const RULES: WriteRules = {
  version: '1',
  tables: {
    notes: {
      delete: { using: { permissive: [], restrictive: [] }, set: [], filled: [] },
    },
  },
  facts: {},
}
const ALLOWED: Judgement = { kind: 'allowed' }
const UNKNOWN: Judgement = { kind: 'unknown' }
const REFUSED: Judgement = { kind: 'refused', refusal: { reason: 'grant', columns: [] } }
const DELETE: PlannedWrite = { table: 'notes', command: 'delete', before: { id: '1', body: 'one' } }

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient({ writeRules: RULES })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await offline[Symbol.asyncDispose]()
})

/** Lets the test answer, and change the rules as a new answer of the server does. */
async function openJudge(
  answer: (writes: readonly PlannedWrite[]) => Promise<readonly Judgement[]>,
): Promise<LocalDatabase & { changeRules(version: string): void }> {
  const local = await offline.opened()
  vi.spyOn(local, 'judge').mockImplementation(answer)
  const rules = local.writeRules as typeof local.writeRules & { set(next: WriteRules): void }
  return { ...local, changeRules: (version) => act(() => rules.set({ ...RULES, version })) }
}

test('a write is judged by the rules of the device, without a connection', async () => {
  const { result } = offline.render(() => useJudgements([DELETE]))
  expect(result.current).toBeUndefined()
  await waitFor(() => expect(result.current).toMatchObject([{ kind: 'refused' }]), PATIENCE)
})

test('equal writes are judged once, other writes and no writes have no result of the earlier ones', async () => {
  const asked: (readonly PlannedWrite[])[] = []
  await openJudge(async (writes) => {
    asked.push(writes)
    return writes.map(() => ALLOWED)
  })
  const writesOf = (id: string): readonly PlannedWrite[] => [{ table: 'notes', command: 'delete', before: { id } }]
  const { result, rerender } = offline.render(
    ({ id }: { readonly id: string | undefined }) => useJudgements(id === undefined ? undefined : writesOf(id)),
    { initialProps: { id: '1' as string | undefined } },
  )
  await waitFor(() => expect(result.current).toEqual([ALLOWED]), PATIENCE)
  rerender({ id: '1' })
  rerender({ id: '2' })
  expect(result.current).toBeUndefined()
  await waitFor(() => expect(result.current).toEqual([ALLOWED]), PATIENCE)
  rerender({ id: undefined })
  expect(result.current).toBeUndefined()
  expect(asked).toEqual([writesOf('1'), writesOf('2')])
})

test('a large number in a write is judged as its text', async () => {
  const local = await openJudge(async (writes) => writes.map(() => ALLOWED))
  const before = { id: '1', serial: 9_007_199_254_740_993n } as unknown as PlannedWrite['before']
  const { result } = offline.render(() => useJudgements([{ ...DELETE, before } as PlannedWrite]))
  await waitFor(() => expect(result.current).toEqual([ALLOWED]), PATIENCE)
  expect(local.judge).toHaveBeenCalledWith([{ ...DELETE, before: { id: '1', serial: '9007199254740993' } }])
})

test('other rules judge again; while a connected device asks for them, a refusal stands', async () => {
  let judgement: Judgement = REFUSED
  const { changeRules, database } = await openJudge(async () => [judgement])
  const { result } = offline.render(() => useJudgements([DELETE])?.[0])
  const change = (version: string, next: Judgement): void => {
    judgement = next
    changeRules(version)
  }
  await waitFor(() => expect(result.current).toEqual(REFUSED), PATIENCE)
  const connected = vi.spyOn(database, 'connected', 'get').mockReturnValue(true)
  change('2', UNKNOWN)
  await act(() => Promise.resolve())
  expect(result.current).toEqual(REFUSED)
  change('3', ALLOWED)
  await waitFor(() => expect(result.current).toEqual(ALLOWED), PATIENCE)
  change('4', REFUSED)
  await waitFor(() => expect(result.current).toEqual(REFUSED), PATIENCE)
  // Without a connection the server decides.
  connected.mockReturnValue(false)
  change('5', UNKNOWN)
  await waitFor(() => expect(result.current).toEqual(UNKNOWN), PATIENCE)
})

test('a judgement that fails is told of, and one that ends after its screen is not shown', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue()
  const { promise, resolve } = Promise.withResolvers<readonly Judgement[]>()
  let answer: () => Promise<readonly Judgement[]> = () => Promise.reject(new Error('disk I/O error'))
  const { changeRules } = await openJudge(() => answer())
  const { result, unmount } = offline.render(() => useJudgements([DELETE]))
  await waitFor(() => expect(warned).toHaveBeenCalledWith(new Error('disk I/O error')), PATIENCE)
  expect(result.current).toBeUndefined()
  answer = () => promise
  changeRules('2')
  unmount()
  answer = () => Promise.reject(new Error('asked after the end'))
  changeRules('3')
  await act(async () => resolve([ALLOWED]))
  expect(result.current).toBeUndefined()
  expect(warned).toHaveBeenCalledTimes(1)
})
