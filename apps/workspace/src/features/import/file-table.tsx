import type { JSX, ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'

/** A table of a file, in its own scrollable box that accepts keys. */
export function FileTable({
  label,
  titles,
  className,
  children,
}: {
  readonly label: string
  readonly titles: readonly string[]
  /** Class of the box. */
  readonly className?: string
  /** The rows. */
  readonly children: ReactNode
}): JSX.Element {
  return (
    <div
      className={cx('w-full overflow-auto rounded-md border border-border', className)}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <table className="w-full min-w-[38rem] border-collapse text-body">
        <thead className="bg-sunken text-left text-small text-muted">
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col" className="px-3 py-2 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
