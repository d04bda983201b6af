import { ChevronDown, ChevronUp } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { recordMessages as words } from '../../messages/record.ts'

/** Opens the previous or next record; `undefined` at the ends. */
export interface NeighbourSteps {
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

export function NeighbourButtons({ onPrevious, onNext }: NeighbourSteps): JSX.Element {
  return (
    <>
      <IconButton
        label={words.previous}
        shortcut="Alt ↑"
        icon={<ChevronUp size={18} aria-hidden />}
        isDisabled={onPrevious === undefined}
        {...(onPrevious ? { onPress: onPrevious } : {})}
      />
      <IconButton
        label={words.next}
        shortcut="Alt ↓"
        icon={<ChevronDown size={18} aria-hidden />}
        isDisabled={onNext === undefined}
        {...(onNext ? { onPress: onNext } : {})}
      />
    </>
  )
}
