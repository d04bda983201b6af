import type { JSX, ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Spinner } from '../../components/spinner.tsx'

/** One way to begin: a large button with what it is and what comes of it. */
export function WelcomeChoice({
  title,
  detail,
  icon,
  autoFocus = false,
  isPending,
  onChoose,
}: {
  readonly title: string
  readonly detail: string
  readonly icon: ReactNode
  readonly autoFocus?: boolean
  readonly isPending: boolean
  readonly onChoose: () => void
}): JSX.Element {
  return (
    <li>
      <Button
        autoFocus={autoFocus}
        isPending={isPending}
        onPress={onChoose}
        className="flex min-h-16 w-full gap-4 rounded-lg border border-control/60 px-4 py-3 text-left transition-colors data-hovered:bg-hover data-pressed:bg-pressed"
      >
        <span className="text-accent">{isPending ? <Spinner /> : icon}</span>
        <span className="min-w-0">
          <span className="block font-medium">{title}</span>
          <span className="block text-small text-muted">{detail}</span>
        </span>
      </Button>
    </li>
  )
}
