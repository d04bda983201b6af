import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const stored = localValue('hf-lists', v.record(v.string(), v.boolean()))

/** By table: whether this person reads its records as a list rather than as a grid, where they have chosen. Kept on this device, over views and new starts. */
export const useListChoices = create<Readonly<Record<string, boolean>>>(() => stored.read() ?? {})

export function chooseList(table: string, isList: boolean): void {
  useListChoices.setState({ [table]: isList })
  stored.write(useListChoices.getState())
}

/** Names of tables go with the data of the account. */
export function forgetListChoices(): void {
  useListChoices.setState({}, true)
  stored.clear()
}
