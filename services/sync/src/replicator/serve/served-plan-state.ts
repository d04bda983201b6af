import type { Blocked } from '../../fill/background-fill.ts'
import { BLOCKED_MS } from '../../limits.ts'
import type { Unfilled } from '../../storage/fills.ts'

/** Whether checkpoints are published, and what they wait for. */
type Publishing =
  /** No checkpoint is published: the plan may be out of date. */
  | 'paused'
  /** Checkpoints wait for rows that are being read, without a limit. */
  | 'held'
  /** Checkpoints wait for rows that are being read until a timer expires. */
  | 'held with timeout'
  | 'served'
  | 'closed'

/** Which definitions are being filled, and whether checkpoints wait for them. */
export interface ServedPlanState {
  readonly publishing: Publishing
  readonly unfilled: Unfilled
  /** Filled definitions that are not in use yet. */
  readonly filled: readonly number[]
  /** Unfilled definitions that checkpoints no longer wait for. */
  readonly late: ReadonlySet<number>
  /** Whether checkpoints wait until all tables are read: for the first time, or again after missed changes. */
  readonly holdsUntilFilled: boolean
  /** Whether the database records, for the next process, that checkpoints wait. */
  readonly isHoldRecorded: boolean
}

export type ServedPlanEvent =
  /** Policies may have changed. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'changes missed' }
  /** The definitions of a plan have been found and created. */
  | { readonly kind: 'settled'; readonly unfilled: Unfilled }
  /** Checkpoints never wait for these definitions. */
  | { readonly kind: 'deferred'; readonly definitions: Iterable<number> }
  /** The plan is in force. */
  | { readonly kind: 'resumed' }
  /** The tables that checkpoints wait for. */
  | ({ readonly kind: 'measured' } & TablesToRead)
  | { readonly kind: 'hold expired' }
  | ({ readonly kind: 'blocked'; readonly definitions: Iterable<number> } & Blocked)
  | { readonly kind: 'filled'; readonly definitions: readonly number[] }
  /** The filled definitions are complete in the database. */
  | { readonly kind: 'recorded' }
  /** The recorded definitions are in the active plan. */
  | { readonly kind: 'completed' }
  /** The active plan has changed for another reason. */
  | { readonly kind: 'activated' }
  | { readonly kind: 'closed' }

export interface TablesToRead {
  /** Whether devices do not have the tables yet. */
  readonly areNew: boolean
  readonly isLarge: boolean
}

/** Actions after an event, in order. */
export type ServedPlanEffect =
  | 'stop timers'
  | 'serve nothing'
  | 'serve'
  | 'log unfilled'
  | 'record refill'
  | 'record first fill'
  | 'record no hold'
  | 'measure tables'
  | 'wake reader'
  | ({ readonly kind: 'begin hold' } & TablesToRead)

interface Transition {
  readonly state: ServedPlanState
  readonly effects: readonly ServedPlanEffect[]
}

/** @param holdsUntilFilled - whether the previous process had not read all tables */
export function initialState(holdsUntilFilled: boolean): ServedPlanState {
  return {
    publishing: 'paused',
    unfilled: new Map(),
    filled: [],
    late: new Set(),
    holdsUntilFilled,
    isHoldRecorded: false,
  }
}

/** Applies an event. A closed state never changes again. */
export function transition(state: ServedPlanState, event: ServedPlanEvent): Transition {
  if (state.publishing === 'closed') return { state, effects: [] }
  switch (event.kind) {
    case 'paused':
      return { state: { ...state, publishing: 'paused' }, effects: ['serve nothing'] }
    case 'changes missed':
      return state.holdsUntilFilled
        ? { state, effects: [] }
        : { state: { ...state, holdsUntilFilled: true }, effects: ['record refill'] }
    case 'settled': {
      const late = new Set([...state.late].filter((number) => event.unfilled.has(number)))
      return { state: { ...state, unfilled: event.unfilled, late }, effects: [] }
    }
    case 'deferred':
      return { state: { ...state, late: new Set([...state.late, ...event.definitions]) }, effects: [] }
    case 'resumed':
      return resume(state)
    case 'measured':
      return measured(state, event)
    case 'hold expired':
      return state.publishing === 'held with timeout'
        ? goOnWithout(state, state.unfilled.keys())
        : { state, effects: [] }
    case 'blocked':
      // A user's forgotten transaction must not hold all checkpoints.
      return event.forMs >= BLOCKED_MS || (event.isLocked && !state.holdsUntilFilled)
        ? goOnWithout(state, event.definitions)
        : { state, effects: [] }
    case 'filled':
      return { state: { ...state, filled: [...state.filled, ...event.definitions] }, effects: [] }
    case 'recorded': {
      const unfilled = new Map([...state.unfilled].filter(([number]) => !state.filled.includes(number)))
      return { state: { ...state, unfilled, filled: [] }, effects: [] }
    }
    case 'completed':
      return complete(state)
    case 'activated':
      return isServable(state) ? serve(state) : { state, effects: [] }
    case 'closed':
      return { state: { ...state, publishing: 'closed' }, effects: ['stop timers'] }
  }
}

/** Whether a definition that checkpoints wait for is still being filled. Without a timeout they wait for all. */
export function isWaitingForMore({ publishing, unfilled, filled, late }: ServedPlanState): boolean {
  const hasTimeout = publishing === 'held with timeout'
  return [...unfilled.keys()].some((number) => !filled.includes(number) && !(hasTimeout && late.has(number)))
}

function resume(state: ServedPlanState): Transition {
  const held = endFirstFill({ ...state, publishing: 'held' })
  if (isServable(held.state)) return append(held.effects, serveWithoutHold(held.state))
  return held.state.holdsUntilFilled ? held : { state: held.state, effects: [...held.effects, 'measure tables'] }
}

function complete(state: ServedPlanState): Transition {
  const ended = endFirstFill(state)
  return isServable(ended.state) ? append(ended.effects, serveWithoutHold(ended.state)) : ended
}

function measured(state: ServedPlanState, { areNew, isLarge }: TablesToRead): Transition {
  if (state.publishing !== 'held') return { state, effects: [] }
  return {
    state: { ...state, publishing: 'held with timeout', isHoldRecorded: true },
    effects: [{ kind: 'begin hold', areNew, isLarge }],
  }
}

/** Once all tables have been read, later reads hold checkpoints for a limited time only. */
function endFirstFill(state: ServedPlanState): Transition {
  return state.holdsUntilFilled && state.unfilled.size === 0
    ? { state: { ...state, holdsUntilFilled: false }, effects: ['record first fill'] }
    : { state, effects: [] }
}

function goOnWithout(state: ServedPlanState, definitions: Iterable<number>): Transition {
  const waitedFor = [...definitions].filter((number) => !state.late.has(number))
  if (waitedFor.length === 0) return { state, effects: [] }
  const next = { ...state, late: new Set([...state.late, ...waitedFor]) }
  // The others may be filled and waiting for these.
  const wake: readonly ServedPlanEffect[] = state.filled.length > 0 ? ['wake reader'] : []
  return isHeld(next) && isServable(next)
    ? append([...wake, 'log unfilled'], serve(next))
    : { state: next, effects: wake }
}

function serve(state: ServedPlanState): Transition {
  return { state: { ...state, publishing: 'served' }, effects: ['serve'] }
}

function serveWithoutHold(state: ServedPlanState): Transition {
  return state.isHoldRecorded
    ? append(['serve', 'record no hold'], {
        state: { ...state, publishing: 'served', isHoldRecorded: false },
        effects: [],
      })
    : serve(state)
}

/** Whether checkpoints are being served, or no longer wait for anything. */
function isServable(state: ServedPlanState): boolean {
  return (
    state.publishing === 'served' || (isHeld(state) && [...state.unfilled.keys()].every((one) => state.late.has(one)))
  )
}

function isHeld({ publishing }: ServedPlanState): boolean {
  return publishing === 'held' || publishing === 'held with timeout'
}

function append(before: readonly ServedPlanEffect[], { state, effects }: Transition): Transition {
  return { state, effects: [...before, ...effects] }
}
