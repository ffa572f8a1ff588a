#!/bin/sh
# Puts into image/ what an image of the built server holds: `scripts/image-contents.sh "aws tracing"`, with the optional parts it is to have. It takes
# node_modules with it, so it is for the Dockerfile and for copies of a checkout. Versions are those of the lock file.
set -eu
rm -rf image
mkdir image
node scripts/image-manifest.mjs "${1:-}" > image/package.json
cp package-lock.json .npmrc image/
cp -R dist image/dist
mv node_modules image/node_modules
cd image
npm prune --ignore-scripts --omit=dev
# npm would list what is for development as missing.
npm pkg delete devDependencies scripts
rm package-lock.json
npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json
# Nobody debugs in there, and no compiler reads types there.
find dist node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete
rm -rf .npmrc node_modules/.bin node_modules/.cache dist/.built
find node_modules -type d -empty -delete
