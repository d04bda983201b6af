import * as v from 'valibot'
import { create } from 'zustand'
import { localValue } from '../../lib/local-value.ts'

const stored = localValue('hf-side-bar', v.object({ isNarrow: v.boolean() }))
const useStore = create<{ readonly isNarrow: boolean }>(() => stored.read() ?? { isNarrow: false })

/** Whether the side bar shows only icons, kept on this device. */
export function useSideBar(): readonly [boolean, (isNarrow: boolean) => void] {
  const isNarrow = useStore((state) => state.isNarrow)
  return [
    isNarrow,
    (next) => {
      useStore.setState({ isNarrow: next })
      stored.write({ isNarrow: next })
    },
  ]
}
