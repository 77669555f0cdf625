// pymdownx.arithmatex writes formulas between these, whatever the page has them between.
// Everything that is needed lies beside tex-chtml.js: an unknown command is an error that the
// browser check sees, and nothing is loaded for it.
window.MathJax = {
  tex: {
    inlineMath: [["\\(", "\\)"]],
    displayMath: [["\\[", "\\]"]],
    macros: { boldsymbol: ["\\mathbf{#1}", 1] },
    packages: { "[-]": ["autoload", "require", "noundefined"] },
  },
  options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex", enableMenu: false },
};
