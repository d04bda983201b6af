/** The part of the Trusted Types API that is used here; TypeScript's DOM library does not have it yet. */
interface TrustedTypesFactory {
  createPolicy: (name: 'default', rules: { readonly createScriptURL: (address: string) => string }) => unknown
}

/**
 * Lets this origin's own scripts be started as workers under `require-trusted-types-for 'script'`, and nothing else: no
 * markup and no script text is ever trusted. Where the browser has no Trusted Types there is nothing to do.
 */
export function trustOwnScripts(): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory }
  trustedTypes?.createPolicy('default', {
    createScriptURL: (address) => {
      const url = new URL(address, location.href)
      if (url.origin !== location.origin) throw new TypeError(`A script of another origin was refused: ${url.origin}`)
      return address
    },
  })
}
