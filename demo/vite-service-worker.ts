import { build, type Plugin, type ResolvedConfig } from 'vite'

/**
 * Builds a service worker beside the page: one classic script that imports nothing. Its URL stays the same, because browsers look there
 * for the next version. The development server serves its source as a module.
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
      const { conditions } = page.resolve
      await build({
        configFile: false,
        root,
        ...(logLevel && { logLevel }),
        resolve: { conditions },
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
