import type { JSX } from 'react'

const WRAPPED = 'whitespace-pre-wrap [overflow-wrap:anywhere]'

/** A long text as it is: SQL, a response, a file. Scrolled by keys, so it is a region with a name. */
export function TextBlock({
  label,
  isProse = false,
  isWrapped = true,
  className = 'max-h-96',
  children,
}: {
  readonly label: string
  /** Words to read, not code. */
  readonly isProse?: boolean
  readonly isWrapped?: boolean
  /** Of its size and place. */
  readonly className?: string
  readonly children: string
}): JSX.Element {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
      tabIndex={0}
      role="region"
      aria-label={label}
      className={`overflow-auto rounded-md bg-sunken p-3 ${isProse ? 'font-sans text-body' : 'font-mono text-mono'} ${isWrapped ? WRAPPED : ''} ${className}`}
    >
      {children}
    </pre>
  )
}
