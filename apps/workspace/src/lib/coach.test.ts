import { beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})

const load = (): Promise<typeof import('./coach.ts')> => import('./coach.ts')

test('done steps and a hidden coach are kept for each account, also after the page is loaded again', async () => {
  const first = await load()
  first.completeSteps('olga', ['offline', 'record'])
  first.completeSteps('olga', ['record'])
  first.completeSteps('nina', ['phone'])
  first.hideCoach('nina')
  vi.resetModules()
  const { coachStateOf, useCoachStates } = await load()
  const states = useCoachStates.getState()
  expect(coachStateOf(states, 'olga')).toEqual({ isHidden: false, done: ['offline', 'record'] })
  expect(coachStateOf(states, 'nina')).toEqual({ isHidden: true, done: ['phone'] })
  expect(coachStateOf(states, 'somebody')).toEqual({ isHidden: false, done: [] })
})

test('a step that the app no longer has does not break the page', async () => {
  localStorage.setItem('hf-coach', JSON.stringify({ olga: { isHidden: false, done: ['dance'] } }))
  const { coachStateOf, useCoachStates } = await load()
  expect(coachStateOf(useCoachStates.getState(), 'olga').done).toEqual([])
})
