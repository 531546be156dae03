//! Statements (C11 6.8).

use super::super::builtins::Builtin;
use super::super::clean::spelling;
use super::super::typed::{Callee, Expr, ExprKind, LabelId, Loop, Statement, StatementKind};
use super::super::types::Type;
use super::expression::Operand;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;

/// The labels of the `switch` that is being elaborated.
pub(super) struct Switch {
    ty: Type,
    cases: Vec<(i128, i128, LabelId)>,
    default: Option<LabelId>,
}

impl<'a> Elaborator<'a> {
    pub(super) fn statement(&mut self, node: &'a Node<ast::Statement>) -> Result<Statement> {
        use ast::Statement as S;
        let span = self.span(node.span);
        let kind = match &node.node {
            S::Labeled(labeled) => return self.labeled(&labeled.node, span),
            S::Compound(items) => {
                self.scopes.enter();
                let result = self.block(items);
                self.scopes.leave();
                StatementKind::Block(result?)
            }
            S::Expression(None) => StatementKind::Empty,
            S::Expression(Some(expression)) => StatementKind::Expr(self.expr(expression)?),
            S::If(statement) => {
                let statement = &statement.node;
                let condition = self.scalar(&statement.condition);
                let then = self.statement(&statement.then_statement);
                let otherwise = match &statement.else_statement {
                    Some(statement) => Some(Box::new(self.statement(statement)?)),
                    None => None,
                };
                StatementKind::If(condition?, Box::new(then?), otherwise)
            }
            S::Switch(switch) => self.switch(&switch.node)?,
            S::While(statement) => {
                let condition = self.scalar(&statement.node.expression);
                let body = self.statement(&statement.node.statement);
                self.loop_of(span, None, Some(condition?), None, body?, false)
            }
            S::DoWhile(statement) => {
                let body = self.statement(&statement.node.statement);
                let condition = self.scalar(&statement.node.expression);
                self.loop_of(span, None, Some(condition?), None, body?, true)
            }
            S::For(statement) => {
                self.scopes.enter();
                let result = self.for_loop(&statement.node, span);
                self.scopes.leave();
                result?
            }
            S::Goto(name) => {
                let label = self.label(&spelling(&name.node.name));
                self.current.used_labels.push((label, span));
                StatementKind::Goto(label)
            }
            S::Continue => StatementKind::Continue,
            S::Break => StatementKind::Break,
            S::Return(value) => self.return_value(value.as_deref(), span)?,
            S::Asm(statement) => self.assembly(&statement.node, span)?,
        };
        Ok(Statement { span, kind })
    }

    /// All statements of a block; the mistakes in all of them are reported.
    fn block(&mut self, items: &'a [Node<ast::BlockItem>]) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut failure = None;
        for item in items {
            let result = match &item.node {
                ast::BlockItem::Declaration(declaration) => self.declaration(&declaration.node),
                ast::BlockItem::StaticAssert(assertion) => {
                    self.static_assert(&assertion.node).map(|()| Vec::new())
                }
                ast::BlockItem::Statement(statement) => {
                    self.statement(statement).map(|statement| vec![statement])
                }
            };
            match result {
                Ok(more) => statements.extend(more),
                Err(reported) => failure = Some(reported),
            }
        }
        match failure {
            Some(reported) => Err(reported),
            None => Ok(statements),
        }
    }

    fn label(&mut self, name: &str) -> LabelId {
        if let Some(&label) = self.current.label_ids.get(name) {
            return label;
        }
        let label = self.fresh_label(name);
        self.current.label_ids.insert(name.to_owned(), label);
        label
    }

    fn fresh_label(&mut self, name: &str) -> LabelId {
        self.current.labels.push(name.to_owned());
        LabelId(self.current.labels.len() as u32 - 1)
    }

    fn labeled(&mut self, labeled: &'a ast::LabeledStatement, span: Span) -> Result<Statement> {
        let label = match &labeled.label.node {
            ast::Label::Identifier(name) => {
                let label = self.label(&spelling(&name.node.name));
                return self.named_label(label, &labeled.statement, span);
            }
            ast::Label::Case(value) => {
                let value = self.constant_expression(value)?;
                self.case(value, value, span)?
            }
            ast::Label::CaseRange(range) => {
                let low = self.constant_expression(&range.node.low)?;
                let high = self.constant_expression(&range.node.high)?;
                self.case(low, high, span)?
            }
            ast::Label::Default => {
                let label = self.fresh_label("default");
                match self.current.switches.last_mut() {
                    Some(switch) if switch.default.is_none() => switch.default = Some(label),
                    Some(_) => return Err(self.error(span, "a second default label")),
                    None => return Err(self.error(span, "a default label outside of a switch")),
                }
                label
            }
        };
        let statement = self.statement(&labeled.statement)?;
        Ok(Statement {
            span,
            kind: StatementKind::Label(label, Box::new(statement)),
        })
    }

    /// A label that macros repeat (`ERROR:` in every assertion) is no mistake as long as it
    /// does not matter which one a jump goes to.
    fn named_label(
        &mut self,
        label: LabelId,
        statement: &'a Node<ast::Statement>,
        span: Span,
    ) -> Result<Statement> {
        let statement = self.statement(statement)?;
        let is_error = matches!(
            &statement.kind,
            StatementKind::Expr(Expr {
                kind: ExprKind::Call(Callee::Builtin(Builtin::Error), _),
                ..
            })
        );
        if self.current.defined_labels.contains(&label) {
            self.current.repeated_labels.push((label, span, is_error));
            return Ok(statement);
        }
        self.current.defined_labels.push(label);
        if is_error {
            self.current.error_labels.push(label);
        }
        Ok(Statement {
            span,
            kind: StatementKind::Label(label, Box::new(statement)),
        })
    }

    /// After the whole function: which labels are missing, or mean two things.
    pub(super) fn check_labels(&mut self) {
        let used = std::mem::take(&mut self.current.used_labels);
        for (label, span, is_error) in std::mem::take(&mut self.current.repeated_labels) {
            let is_used = used.iter().any(|(other, _)| *other == label);
            let same = is_error && self.current.error_labels.contains(&label);
            if is_used && !same {
                self.error(span, "this label is defined twice");
            }
        }
        for (label, span) in used {
            if !self.current.defined_labels.contains(&label) {
                let name = self.current.labels[label.index()].clone();
                self.error(span, format!("label `{name}` is not defined"));
            }
        }
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Result<LabelId> {
        let label = self.fresh_label("case");
        let Some(switch) = self.current.switches.last() else {
            return Err(self.error(span, "a case label outside of a switch"));
        };
        let ty = switch.ty.clone();
        let convert = |this: &mut Self, value| {
            let expr = Expr {
                ty: Type::Int(super::super::types::IntKind::LongLong),
                span,
                kind: ExprKind::Int(value),
            };
            let expr = this.convert(expr, &ty, span)?;
            Ok(this.evaluate(&expr).unwrap_or(value))
        };
        let low = convert(self, low)?;
        let high = convert(self, high)?;
        let overlaps = |&(from, to, _): &(i128, i128, LabelId)| low <= to && from <= high;
        if let Some(switch) = self.current.switches.last_mut() {
            if switch.cases.iter().any(overlaps) {
                return Err(self.error(span, "this case value occurs twice"));
            }
            switch.cases.push((low, high, label));
        }
        Ok(label)
    }

    fn switch(&mut self, switch: &'a ast::SwitchStatement) -> Result<StatementKind> {
        let value = self.integer(&switch.expression)?;
        let ty = self.types.promote(&value.ty);
        let span = value.span;
        let value = self.convert(value, &ty, span)?;
        self.current.switches.push(Switch {
            ty,
            cases: Vec::new(),
            default: None,
        });
        let body = self.statement(&switch.statement);
        let switch = self.current.switches.pop();
        let (cases, default) = switch.map_or((Vec::new(), None), |s| (s.cases, s.default));
        Ok(StatementKind::Switch {
            value,
            body: Box::new(body?),
            cases,
            default,
        })
    }

    fn for_loop(&mut self, statement: &'a ast::ForStatement, span: Span) -> Result<StatementKind> {
        let initializer = match &statement.initializer.node {
            ast::ForInitializer::Empty => Vec::new(),
            ast::ForInitializer::Expression(expression) => {
                let expr = self.expr(expression)?;
                vec![Statement {
                    span: expr.span,
                    kind: StatementKind::Expr(expr),
                }]
            }
            ast::ForInitializer::Declaration(declaration) => self.declaration(&declaration.node)?,
            ast::ForInitializer::StaticAssert(assertion) => {
                self.static_assert(&assertion.node)?;
                Vec::new()
            }
        };
        let condition = match &statement.condition {
            Some(condition) => Some(self.scalar(condition)?),
            None => None,
        };
        let step = match &statement.step {
            Some(step) => Some(self.expr(step)?),
            None => None,
        };
        let body = self.statement(&statement.statement)?;
        Ok(self.loop_of(span, Some(initializer), condition, step, body, false))
    }

    fn loop_of(
        &mut self,
        span: Span,
        initializer: Option<Vec<Statement>>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Statement,
        body_first: bool,
    ) -> StatementKind {
        StatementKind::Loop(Box::new(Loop {
            initializer: Statement {
                span,
                kind: StatementKind::Block(initializer.unwrap_or_default()),
            },
            condition,
            step,
            body,
            body_first,
        }))
    }

    fn return_value(
        &mut self,
        value: Option<&'a Node<ast::Expression>>,
        span: Span,
    ) -> Result<StatementKind> {
        let Some(value) = value else {
            return Ok(StatementKind::Return(None));
        };
        let value = self.expr(value)?;
        match self.current.result.clone() {
            Some(Type::Void) | None => {
                let value = self.cast(value, &Type::Void, span)?;
                Ok(StatementKind::Return(Some(value)))
            }
            Some(ty) => {
                let value = self.convert(value, &ty, span)?;
                Ok(StatementKind::Return(Some(value)))
            }
        }
    }

    /// Barriers are all the assembly that there is.
    fn assembly(&mut self, statement: &'a ast::AsmStatement, span: Span) -> Result<StatementKind> {
        let template = match statement {
            ast::AsmStatement::GnuBasic(template) => &template.node,
            ast::AsmStatement::GnuExtended(extended)
                if extended.outputs.is_empty() && extended.inputs.is_empty() =>
            {
                &extended.template.node
            }
            ast::AsmStatement::GnuExtended(_) => {
                return Err(self.unsupported(span, "assembly with operands"));
            }
        };
        let text: String = template.iter().map(|part| part.trim_matches('"')).collect();
        match text.trim_matches([' ', ';', '\t']) {
            "" | "nop" | "pause" | "rep; nop" => Ok(StatementKind::Empty),
            "mfence" | "lock; addl $0,0(%%esp)" | "sync" | "dmb ish" | "dmb sy" => {
                Ok(StatementKind::Fence)
            }
            _ => Err(self.unsupported(span, "assembly")),
        }
    }

    /// `({ a; b; c; })` has the value of `c`.
    pub(super) fn statement_expression(
        &mut self,
        node: &'a Node<ast::Statement>,
        span: Span,
    ) -> Result<Operand> {
        let mut statement = self.statement(node)?;
        let mut result = None;
        if let StatementKind::Block(statements) = &mut statement.kind
            && let Some(last) = statements.last_mut()
        {
            let kind = std::mem::replace(&mut last.kind, StatementKind::Empty);
            match kind {
                StatementKind::Expr(expr) if expr.ty != Type::Void => {
                    result = Some(Box::new(expr));
                }
                other => last.kind = other,
            }
        }
        let ty = result.as_ref().map_or(Type::Void, |expr| expr.ty.clone());
        Ok(Operand::Value(Expr {
            ty,
            span,
            kind: ExprKind::Statements(Box::new(statement), result),
        }))
    }
}
