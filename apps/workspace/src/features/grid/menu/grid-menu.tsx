import { type JSX, type ReactNode, type RefObject, useRef, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Menu } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { MenuLayerItem, MenuLayerSeparator } from '../../../components/layers/menu-layer.tsx'
import { popoverClass } from '../../../components/layers/layer-props.ts'
import { cx } from '../../../lib/cx.ts'
import { menuMessages as words } from '../../../messages/grid-menu.ts'
import { clampWidth, parseWidths, renderWidths } from '../dress/view-looks.ts'
import { FilterForm } from '../../../components/filter/filter-form.tsx'
import { cellEntries } from './cell-entries.tsx'
import { columnEntries } from './column-entries.tsx'
import type { GridMenuProps, MenuForm } from './menu-entries.ts'
import { WidthForm } from './width-form.tsx'

/** The menu of a column, a group or the selected cells. */
export function GridMenu(props: GridMenuProps): JSX.Element {
  const { target, columns, view, fields, onClose } = props
  const anchor = useRef<HTMLSpanElement>(null)
  const [form, setForm] = useState<MenuForm>()
  const column = columns[target.column]
  const entries = target.row === undefined ? column && columnEntries(props, column, setForm) : cellEntries(props)
  return (
    <>
      <span
        ref={anchor}
        aria-hidden
        className="pointer-events-none fixed size-0"
        style={{ left: target.x, top: target.y }}
      />
      {form && column ? (
        <Layer anchor={anchor} onClose={onClose} className="p-3">
          <Dialog aria-label={column.field.label} className="outline-none">
            {form === 'filter' ? (
              <div className="w-[44rem] max-w-[calc(100vw-3rem)]">
                <FilterForm fields={fields} filter={view.filter} onChange={view.setFilter} />
              </div>
            ) : (
              <WidthForm
                width={column.width}
                onWidth={(width) => {
                  view.set('width', withWidth(view.settings.width, column.field.name, width))
                  onClose()
                }}
              />
            )}
          </Dialog>
        </Layer>
      ) : (
        <Layer anchor={anchor} onClose={onClose} className="min-w-56 p-1">
          <Menu
            aria-label={target.row === undefined ? words.columnMenu(column?.field.label ?? '') : words.cellMenu}
            autoFocus="first"
            className="outline-none"
            onAction={(key) => {
              const entry = entries?.find(({ id }) => id === key)
              if (entry?.isForm !== true) onClose()
              entry?.run()
            }}
          >
            {entries?.flatMap(({ id, label, isLast, isForm: _isForm, run: _run, ...rest }) => [
              <MenuLayerItem key={id} id={id} {...rest}>
                {label}
              </MenuLayerItem>,
              ...(isLast ? [<MenuLayerSeparator key={`${id} end`} />] : []),
            ])}
          </Menu>
        </Layer>
      )}
    </>
  )
}

function Layer({
  anchor,
  className,
  onClose,
  children,
}: {
  readonly anchor: RefObject<HTMLElement | null>
  readonly className: string
  readonly onClose: () => void
  readonly children: ReactNode
}): JSX.Element {
  return (
    <Popover
      triggerRef={anchor}
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
      placement="bottom start"
      offset={2}
      className={cx(popoverClass, 'max-w-[calc(100vw-1rem)] overflow-auto', className)}
    >
      {children}
    </Popover>
  )
}

/** Returns the setting with another width of a column; `undefined`: the automatic one. */
function withWidth(text: string | undefined, name: string, width: number | undefined): string | undefined {
  const widths = new Map(parseWidths(text))
  if (width === undefined) widths.delete(name)
  else widths.set(name, clampWidth(width))
  return renderWidths(widths)
}
