import type { JSX } from 'react'
import { Dialog, DialogContext } from 'react-aria-components/Dialog'
import { Popover as AriaPopover, PopoverContext } from 'react-aria-components/Popover'
import { cx } from '../../lib/cx.ts'
import { popoverClass, type PopoverProps } from './layer-props.ts'
import { LayerContexts } from './layer-contexts.tsx'
import type { LayerLink } from './layer-trigger.tsx'

/** Implementation of `Popover`. */
export function PopoverLayer({
  link,
  label,
  children,
  className,
  ...rest
}: PopoverProps & { readonly link: LayerLink }): JSX.Element {
  const { triggerRef, overlayProps } = link
  return (
    <LayerContexts link={link}>
      <DialogContext value={overlayProps}>
        <PopoverContext value={{ ...overlayProps, trigger: 'DialogTrigger', triggerRef }}>
          <AriaPopover
            offset={6}
            {...rest}
            className={cx(popoverClass, 'max-w-[calc(100vw-1rem)] overflow-auto', className)}
          >
            <Dialog aria-label={label} className="outline-none">
              {({ close }) => (
                <div
                  onClick={(event) => {
                    if (event.target instanceof Element && event.target.closest('a[href]')) close()
                  }}
                >
                  {children}
                </div>
              )}
            </Dialog>
          </AriaPopover>
        </PopoverContext>
      </DialogContext>
    </LayerContexts>
  )
}
