import { build, type Plugin, type ResolvedConfig } from 'vite'

/**
 * A service worker beside the page: one classic script that imports nothing, at an address that stays, for browsers look there for
 * the next version. The development server hands out its source as a module.
 */
export function serviceWorker(source: string, fileName: string): Plugin {
  let page: ResolvedConfig
  return {
    name: 'service-worker',
    configResolved(config) {
      page = config
    },
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        if (request.url === `/${fileName}`) request.url = `/${source}`
        next()
      })
    },
    async writeBundle() {
      const { root, logLevel } = page
      await build({
        configFile: false,
        root,
        ...(logLevel && { logLevel }),
        build: {
          outDir: page.build.outDir,
          emptyOutDir: false,
          copyPublicDir: false,
          rolldownOptions: { input: `${root}/${source}`, output: { format: 'iife', entryFileNames: fileName } },
        },
      })
    },
  }
}
