/** The parts of the Trusted Types API used here, which TypeScript's DOM library lacks. */
interface TrustedTypesFactory {
  createPolicy: (name: 'default', rules: { readonly createScriptURL: (address: string) => string }) => unknown
}

/**
 * Lets this origin's own scripts start as workers under `require-trusted-types-for 'script'`. No markup or script text is ever trusted. Does nothing in
 * browsers without Trusted Types.
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
