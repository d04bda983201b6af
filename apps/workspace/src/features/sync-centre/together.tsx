import { createContext, type JSX, type ReactNode, useContext, useEffect, useEffectEvent, useState } from 'react'

/** So many changes of one reason are shown as one card, and decided together. */
const TOGETHER_MIN = 3

interface Group {
  readonly key: string
  readonly changes: readonly unknown[]
}

const Hold = createContext<(isHeld: boolean) => void>(() => undefined)

/**
 * Shows groups of changes as one card each, or a card for each change. While a person decides one it stays the card that it is, whatever is refused
 * meanwhile: with it would go what they have typed.
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

/** @param isDeciding - a form or a question about this card is open */
export function useHoldCard(isDeciding: boolean): void {
  const hold = useEffectEvent(useContext(Hold))
  // The card may go with what it is about.
  useEffect(() => {
    if (!isDeciding) return
    hold(true)
    return () => hold(false)
  }, [isDeciding])
}
