import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const stored = localValue('hf-lists', v.record(v.string(), v.boolean()))

/** Whether the user prefers list over grid, by table. Stored on this device. */
export const useListChoices = create<Readonly<Record<string, boolean>>>(() => stored.read() ?? {})

export function chooseList(table: string, isList: boolean): void {
  useListChoices.setState({ [table]: isList })
  stored.write(useListChoices.getState())
}

/** Table names are project data, deleted with the account's data. */
export function forgetListChoices(): void {
  useListChoices.setState({}, true)
  stored.clear()
}
