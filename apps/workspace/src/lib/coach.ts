import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from './local-value.ts'

/** What a new owner tries first, in this order. */
export const COACH_STEPS = ['record', 'invite', 'phone', 'offline'] as const
export type CoachStep = (typeof COACH_STEPS)[number]

const stepSchema = v.picklist(COACH_STEPS)
const kept = localValue(
  'hf-coach',
  v.record(v.string(), v.object({ isHidden: v.boolean(), done: v.array(stepSchema) })),
)

/** What this device remembers of an account's coach. */
export interface CoachState {
  readonly isHidden: boolean
  readonly done: readonly CoachStep[]
}

const NEW: CoachState = { isHidden: false, done: [] }

export const useCoachStates = create<Readonly<Record<string, CoachState>>>(() => kept.read() ?? {})

export function coachStateOf(states: Readonly<Record<string, CoachState>>, userId: string): CoachState {
  return states[userId] ?? NEW
}

/** Completes steps; a completed step stays so. */
export function completeSteps(userId: string, steps: readonly CoachStep[]): void {
  const state = coachStateOf(useCoachStates.getState(), userId)
  const missing = steps.filter((step) => !state.done.includes(step))
  if (missing.length > 0) keep(userId, { ...state, done: [...state.done, ...missing] })
}

export function hideCoach(userId: string): void {
  keep(userId, { ...coachStateOf(useCoachStates.getState(), userId), isHidden: true })
}

function keep(userId: string, state: CoachState): void {
  useCoachStates.setState({ [userId]: state })
  kept.write(
    Object.fromEntries(
      Object.entries(useCoachStates.getState()).map(([id, { isHidden, done }]) => [id, { isHidden, done: [...done] }]),
    ),
  )
}
