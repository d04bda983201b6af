import { ChevronRight } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Disclosure as AriaDisclosure, DisclosurePanel } from 'react-aria-components/Disclosure'

/** A line that expands the content below. */
export function Disclosure({
  title,
  children,
}: {
  readonly title: ReactNode
  readonly children: ReactNode
}): JSX.Element {
  return (
    <AriaDisclosure className="group pt-1 print:not-data-expanded:hidden">
      <Button
        slot="trigger"
        className="-ml-1 inline-flex min-h-6 items-center gap-1 rounded-sm px-1 text-left text-small text-muted data-hovered:text-text coarse:min-h-11"
      >
        <ChevronRight size={14} aria-hidden className="transition-transform group-data-expanded:rotate-90" />
        {title}
      </Button>
      <DisclosurePanel className="[overflow-wrap:anywhere] text-muted group-data-expanded:pt-1 group-data-expanded:pb-1 group-data-expanded:pl-4">
        {children}
      </DisclosurePanel>
    </AriaDisclosure>
  )
}
