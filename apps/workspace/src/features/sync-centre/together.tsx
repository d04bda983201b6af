import { createContext, type JSX, type ReactNode, useContext, useEffect, useEffectEvent, useState } from 'react'

/** Number of changes with one reason from which they share a card and a decision. */
const TOGETHER_MIN = 3

interface Group {
  readonly key: string
  readonly changes: readonly unknown[]
}

const Hold = createContext<(isHeld: boolean) => void>(() => undefined)

/**
 * Renders one card per group, or one per change. While the user decides, the card stays as it is even if more changes are rejected, so that typed text is not
 * lost.
 */
export function Together<One extends Group>({
  groups,
  children,
}: {
  readonly groups: readonly One[]
  readonly children: (isTogether: (group: One) => boolean) => ReactNode
}): JSX.Element {
  const [held, setHeld] = useState<ReadonlySet<string>>()
  const isTogether = ({ key, changes }: One): boolean => held?.has(key) ?? changes.length >= TOGETHER_MIN
  const hold = (isHeld: boolean): void =>
    setHeld(isHeld ? new Set(groups.filter(isTogether).map(({ key }) => key)) : undefined)
  return <Hold value={hold}>{children(isTogether)}</Hold>
}

/** @param isDeciding - a form or question of this card is open */
export function useHoldCard(isDeciding: boolean): void {
  const hold = useEffectEvent(useContext(Hold))
  // The card may unmount with its change.
  useEffect(() => {
    if (!isDeciding) return
    hold(true)
    return () => hold(false)
  }, [isDeciding])
}
