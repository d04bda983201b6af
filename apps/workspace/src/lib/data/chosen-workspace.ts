import { useLocalDatabase } from '@holdfast/react'
import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../local-value.ts'

const kept = localValue('hf-workspace', v.record(v.string(), v.string()))
/** The id of the workspace that each account of this device last chose. */
const useChoices = create<Readonly<Record<string, string>>>(() => kept.read() ?? {})

/** Returns the id of the workspace that the user chose on this device; it may have been left since. */
export function useChosenWorkspace(): string | undefined {
  const { userId } = useLocalDatabase()
  return useChoices((choices) => choices[userId])
}

/** Chooses the workspace whose tables the app shows, on this device and for this account. */
export function chooseWorkspace(userId: string, workspace: string): void {
  useChoices.setState({ [userId]: workspace })
  kept.write({ ...useChoices.getState() })
}
